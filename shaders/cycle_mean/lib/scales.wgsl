//! The scale of the edges of a component: the value p/q of the best cycle that is known.
#import lib/int64

/// The value p/q of a cycle, which need not be in lowest terms, and the least state of that cycle.
struct Scale {
    leader: u32,
    p_low: u32,
    p_high: u32,
    q_low: u32,
    q_high: u32,
}

/// Returns q weight - p time.
fn scaled(scale: Scale, weight: vec2<u32>, time: vec2<u32>) -> vec2<u32> {
    let p = vec2<u32>(scale.p_low, scale.p_high);
    let q = vec2<u32>(scale.q_low, scale.q_high);
    return subtract64(product64(q, weight), product64(p, time));
}
