// good: uniform loops and branches, decided by what all invocations know.
struct Work {
    first: u32,
    own: u32,
}

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read> first: array<u32>;

var<workgroup> found: u32;

fn settle(work: ptr<function, Work>, local: u32) {
    (*work).own += local;
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var work = Work(workgroup.x, local);
    for (var i = work.first; i < counts[work.first]; i += 1u) {
        if local == 0u {
            found = first[i];
        }
        settle(&work, local);
        if workgroupUniformLoad(&found) == 0u {
            break;
        }
        var mine = 0u;
        while mine < local {
            mine += work.own;
        }
    }
    if subgroupAny(local == 7u) {
        out[local] = subgroupAdd(local);
    }
    workgroupBarrier();
    out[local] = work.own;
}
