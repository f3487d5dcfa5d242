//! Logarithmic scales whose ends are powers of ten.

/// A scale of positive numbers.
pub(super) struct Scale {
    /// The powers of ten at both ends.
    decades: [i32; 2],
    /// The positions of these in the drawing.
    ends: [f64; 2],
}

impl Scale {
    /// Returns the scale from the least powers of ten that enclose all values, over at least one
    /// decade.
    pub(super) fn new(values: impl Iterator<Item = f64>, ends: [f64; 2]) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|&value| is_positive(value)) {
            low = low.min(value.log10());
            high = high.max(value.log10());
        }
        let decades = match low <= high {
            true => [low.floor() as i32, high.ceil() as i32],
            false => [0, 1],
        };
        let decades = [decades[0], decades[1].max(decades[0] + 1)];
        Self { decades, ends }
    }

    /// Returns the position of a value in the drawing.
    pub(super) fn at(&self, value: f64) -> Option<f64> {
        is_positive(value).then(|| {
            let [low, high] = self.decades.map(f64::from);
            let [from, to] = self.ends;
            from + (to - from) * (value.log10() - low) / (high - low)
        })
    }

    pub(super) fn first(&self) -> f64 {
        10_f64.powi(self.decades[0])
    }

    pub(super) fn last(&self) -> f64 {
        10_f64.powi(self.decades[1])
    }

    /// Returns the powers of ten, and their positions in the drawing.
    pub(super) fn decades(&self) -> impl Iterator<Item = (i32, f64)> {
        let [low, high] = self.decades;
        (low..=high).filter_map(|power| Some((power, self.at(10_f64.powi(power))?)))
    }
}

fn is_positive(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

/// Returns a power of ten as text.
pub(super) fn name(power: i32) -> String {
    match power {
        -3..=0 => format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power)),
        1..=3 => format!("{:.0}", 10_f64.powi(power)),
        _ => format!("1e{power}"),
    }
}
