//! The sums of weights and times on the way from each state to its leader.
//!
//! flags: WIDE
//!
//! An entry of `sums` is the leader, the low word of the time, and the weight; `high_times`
//! (`WIDE`) has the high word of the time.

@group(0) @binding(5) var<storage, read> sums: array<vec4<u32>>;
#ifdef WIDE
@group(0) @binding(6) var<storage, read> high_times: array<u32>;
#endif

fn leader_from(state: u32) -> u32 {
    return sums[state].x;
}

fn weight_from(state: u32) -> vec2<u32> {
    return sums[state].zw;
}

fn time_from(state: u32) -> vec2<u32> {
    var time = vec2<u32>(sums[state].y, 0u);
#ifdef WIDE
    time.y = high_times[state];
#endif
    return time;
}
