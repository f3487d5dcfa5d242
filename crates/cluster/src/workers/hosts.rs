//! [`Hosts`]: the addresses of all processes, from a host file.

use std::collections::HashMap;
use std::net::{IpAddr, ToSocketAddrs as _};

/// The addresses of all processes, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

/// An error in a host file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct HostsError {
    /// The line, counted from 1.
    pub line: usize,
    /// The description of the error.
    pub reason: String,
}

impl Hosts {
    /// Reads a host file, which has a line `HOST:PORT` for each process, the first of which is for
    /// process 0. Blank lines, and the text after a `#`, are ignored.
    ///
    /// # Errors
    /// [`HostsError`] if a line is not an address, if an address occurs twice, or if there is none.
    pub fn parse(text: &str) -> Result<Self, HostsError> {
        let mut hosts: Vec<String> = Vec::new();
        let mut lines_of = HashMap::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let host = line.split('#').next().unwrap_or_default().trim();
            if host.is_empty() {
                continue;
            }
            let wrong = |reason| HostsError {
                line: number + 1,
                reason,
            };
            check(host).map_err(wrong)?;
            if let Some(first) = lines_of.insert(host.to_owned(), number + 1) {
                return Err(wrong(format!("`{host}` stands in line {first} too")));
            }
            hosts.push(host.to_owned());
        }
        match hosts.is_empty() {
            true => Err(HostsError {
                line: text.lines().count().max(1),
                reason: "no process: expected a line HOST:PORT for each".to_owned(),
            }),
            false => Ok(Self(hosts)),
        }
    }

    /// Returns the number of processes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no process. No host file is read as this.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the address of a process.
    #[must_use]
    pub fn address(&self, process: usize) -> &str {
        &self.0[process]
    }

    /// Returns the number of earlier processes on the same machine as this one, by their addresses,
    /// and the number of those from this one on.
    #[must_use]
    pub fn beside(&self, process: usize) -> (usize, usize) {
        let machine = |process: usize| self.0[process].rsplit_once(':').map(|(host, _)| host);
        let is_beside = |&other: &usize| machine(other) == machine(process);
        let before = (0..process).filter(is_beside).count();
        (before, (process..self.0.len()).filter(is_beside).count())
    }

    /// Returns whether all addresses are local to this machine, so that other machines cannot reach
    /// them.
    #[must_use]
    pub fn are_local(&self) -> bool {
        let is_local = |host: &String| match host.to_socket_addrs() {
            Ok(mut addresses) => addresses.all(|address| match address.ip() {
                IpAddr::V4(ip) => ip.is_loopback(),
                IpAddr::V6(ip) => ip.is_loopback(),
            }),
            Err(_) => false,
        };
        self.0.iter().all(is_local)
    }

    /// Returns all addresses on one line.
    #[must_use]
    pub fn in_line(&self) -> String {
        self.0.join(" ")
    }
}

/// Checks an address. The error is a description of what is wrong.
fn check(host: &str) -> Result<(), String> {
    if let Some(blank) = host.find(char::is_whitespace) {
        let rest = host[blank..].trim();
        return Err(format!(
            "`{rest}` follows an address: expected one HOST:PORT a line"
        ));
    }
    let Some((name, port)) = host.rsplit_once(':') else {
        return Err(format!("`{host}` has no port: expected HOST:PORT"));
    };
    if name.is_empty() {
        return Err(format!("`{host}` names no host: expected HOST:PORT"));
    }
    match port.parse::<u16>() {
        Ok(1..) => Ok(()),
        _ => Err(format!(
            "`{port}` is no port: expected a number from 1 to 65535"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn processes_of_the_same_machine_are_counted() {
        let hosts = Hosts::parse("a:1\n[::1]:2\na:3\na:4\n").expect("addresses");
        let beside = |process| hosts.beside(process);
        assert_eq!([0, 1, 2, 3].map(beside), [(0, 3), (0, 1), (1, 2), (2, 1)]);
    }
}
