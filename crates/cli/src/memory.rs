//! The available memory, according to the system, the limits of a container, and `ulimit`.

use std::fs;
use std::path::Path;

/// The text of an input may take this fraction of the available memory: one half, because the model
/// that is built from it needs memory too.
const SHARE: u64 = 2;

/// Returns the largest number of bytes that the text of an input may have, and the source of this
/// limit.
pub(crate) fn limit(max_memory: Option<u64>) -> (u64, &'static str) {
    let share = available().map_or(u64::MAX, |available| available / SHARE);
    match max_memory {
        Some(limit) if limit <= share => (limit, "--max-memory is the limit"),
        _ => (share, "half of the memory that is available is the limit"),
    }
}

/// An exploration on the CPU may take this percentage of the available memory, unless
/// `--max-memory` sets another limit. The rest is for what the exploration does not count.
const EXPLORED_PERCENT: u64 = 90;

/// Returns the largest number of bytes that the states and the graph of an exploration on the CPU
/// may take, if there is a limit.
pub(crate) fn exploration_limit(max_memory: Option<u64>) -> Option<u64> {
    let share = || available().map(|available| available / 100 * EXPLORED_PERCENT);
    max_memory.or_else(share)
}

/// Returns the source of the limit on the memory of an exploration.
pub(crate) fn exploration_limit_source(max_memory: Option<u64>) -> &'static str {
    match max_memory {
        Some(_) => "--max-memory is the limit",
        None => {
            "90 % of the memory that was available at the start is the limit (see --max-memory)"
        }
    }
}

/// Returns the largest memory that this process has used, in bytes, if the system reports it.
pub(crate) fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmHWM:")
}

/// Returns the memory that is available to this process, in bytes, if the system reports it.
fn available() -> Option<u64> {
    let process = Path::new("/proc/self");
    let read = |path: &Path| fs::read_to_string(path).ok();
    let meminfo = read(Path::new("/proc/meminfo"));
    let system = meminfo.and_then(|text| kilobytes(&text, "MemAvailable:"));
    let limits = read(&process.join("limits")).and_then(|text| address_space(&text));
    let status = read(&process.join("status")).and_then(|text| kilobytes(&text, "VmSize:"));
    let left = limits.map(|limit| limit.saturating_sub(status.unwrap_or(0)));
    let groups = read(&process.join("cgroup")).and_then(|text| {
        let folders = group_folders(&text);
        folders
            .iter()
            .filter_map(|folder| available_in_group(Path::new(folder)))
            .min()
    });
    [system, left, groups].into_iter().flatten().min()
}

/// Returns the number in a line such as `MemAvailable:   123 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
    let number = lines.next()?.trim().strip_suffix("kB")?;
    number.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the soft limit on the address space, if there is one.
fn address_space(limits: &str) -> Option<u64> {
    let mut lines = limits
        .lines()
        .filter_map(|line| line.strip_prefix("Max address space"));
    lines.next()?.split_whitespace().next()?.parse().ok()
}

/// Returns the folders of the control groups that may limit the memory of this process: those of
/// its groups, of the groups that contain them, and of the root, which is the only one that a
/// container sees.
fn group_folders(groups: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|name| name == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let path = path.trim_end_matches('/');
        let ends = path.match_indices('/').map(|(end, _)| end);
        for end in ends.chain([path.len()]) {
            folders.push(format!("{root}{}", &path[..end]));
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

/// Returns the memory that the limit of a control group leaves, if it has one. Cached files count
/// as free, whether they were used lately or not.
fn available_in_group(folder: &Path) -> Option<u64> {
    let number = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let either = |new, old| number(new).or_else(|| number(old));
    let limit = either("memory.max", "memory.limit_in_bytes")?;
    let used = either("memory.current", "memory.usage_in_bytes").unwrap_or(0);
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached: u64 = ["inactive_file ", "active_file "]
        .iter()
        .filter_map(|name| stat.lines().find_map(|line| line.strip_prefix(name)))
        .filter_map(|number| number.trim().parse::<u64>().ok())
        .sum();
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::{
        address_space, available, available_in_group, exploration_limit, group_folders, kilobytes,
        limit,
    };

    #[test]
    fn the_available_memory_comes_from_the_system() {
        let text = "MemTotal:       24 kB\nMemAvailable:   12 kB\nBuffers: 1 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(12 << 10));
        assert_eq!(kilobytes(text, "SwapFree:"), None);
        assert_eq!(kilobytes("MemAvailable: many kB", "MemAvailable:"), None);
        let limits = |limit| {
            format!(
                "Limit      Soft Limit  Hard Limit  Units\n\
                 Max address space         {limit}        unlimited       bytes\n"
            )
        };
        assert_eq!(address_space(&limits("307200000")), Some(307_200_000));
        assert_eq!(address_space(&limits("unlimited")), None);
    }

    #[test]
    fn limits_of_control_groups_are_read() {
        let groups = "5:devices:/\n4:memory,hugetlb:/a/b\n0::/user/me\n";
        assert_eq!(
            group_folders(groups),
            [
                "/sys/fs/cgroup",
                "/sys/fs/cgroup/memory",
                "/sys/fs/cgroup/memory/a",
                "/sys/fs/cgroup/memory/a/b",
                "/sys/fs/cgroup/user",
                "/sys/fs/cgroup/user/me",
            ]
        );
        assert_eq!(group_folders("0::/\nnothing"), ["/sys/fs/cgroup"]);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file can be written");
        };
        assert_eq!(available_in_group(folder.path()), None);
        write("memory.max", "max\n");
        assert_eq!(available_in_group(folder.path()), None);
        write("memory.max", "1000\n");
        assert_eq!(available_in_group(folder.path()), Some(1000));
        write("memory.current", "700\n");
        write("memory.stat", "anon 1\ninactive_file 200\nactive_file 50\n");
        assert_eq!(available_in_group(folder.path()), Some(550));
    }

    #[test]
    fn the_smaller_limit_counts() {
        assert_eq!(limit(Some(7)), (7, "--max-memory is the limit"));
        let (share, why) = limit(Some(u64::MAX));
        assert!(share > 0 && (share == u64::MAX || why.starts_with("half")));
    }

    #[test]
    fn an_exploration_leaves_some_memory() {
        assert_eq!(exploration_limit(Some(7)), Some(7));
        assert_eq!(exploration_limit(Some(u64::MAX)), Some(u64::MAX));
        let share = exploration_limit(None);
        // Other tests take and free memory at the same time.
        let half_to_all = |(share, all): (u64, u64)| share > all / 2 && share < all;
        assert!(share.zip(available()).is_none_or(half_to_all), "{share:?}");
    }
}
