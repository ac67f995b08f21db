//! A chart of bars, drawn by the browser as wide as there is room.

use super::html::Markup;

/// A chart.
#[derive(Debug)]
pub(super) struct Chart {
    pub(super) title: &'static str,
    /// The meaning of its top.
    pub(super) top: String,
    /// The classes of its parts, each with its meaning. Empty if the title says enough.
    pub(super) legend: &'static [(&'static str, &'static str)],
    pub(super) bars: Vec<Bar>,
}

/// A bar, from its foot to its head.
#[derive(Debug)]
pub(super) struct Bar {
    /// The class and the height of each part; all together are at most 1.
    pub(super) parts: Vec<(&'static str, f64)>,
    /// The text that a browser shows for it on hover.
    pub(super) label: String,
}

/// The width of a bar and the space after it, in units that are stretched to the width of the page.
const STEP: f64 = 10.0;
const HEIGHT: f64 = 100.0;

/// The least height of a part, so that a small one can be seen.
const LEAST: f64 = 0.015;

impl Chart {
    pub(super) fn markup(&self, axis: &Axis) -> Markup {
        let title = Markup::words("span", "title", self.title);
        let top = Markup::words("span", "top", &self.top);
        let is_drawn =
            |class: &str| self.bars.iter().flat_map(|bar| &bar.parts).any(|(part, _)| *part == class);
        let legend = self.legend.iter().filter(|(class, _)| is_drawn(class)).map(|(class, meaning)| {
            let class = format!("key {class}");
            Markup::element("span", &[("class", &class)], [Markup::text(meaning)])
        });
        let caption = Markup::element("figcaption", &[], [title, top].into_iter().chain(legend));
        let drawing = drawing(&format!("{}: {}", self.title, self.top), &self.bars, axis);
        let plot = Markup::element("div", &[("class", "plot")], [drawing]);
        Markup::element("figure", &[], [caption, plot, axis.markup()])
    }
}

/// Draws the bars, which this axis numbers.
pub(super) fn drawing(label: &str, bars: &[Bar], axis: &Axis) -> Markup {
    let width = STEP * bars.len() as f64;
    let attributes = [
        ("viewBox", format!("0 0 {width} {HEIGHT}")),
        ("preserveAspectRatio", "none".to_owned()),
        ("role", "img".to_owned()),
        ("aria-label", label.to_owned()),
        ("style", axis.max_width()),
    ];
    let attributes = attributes.each_ref().map(|(key, value)| (*key, value.as_str()));
    let visible =
        bars.iter().enumerate().filter(|(_, bar)| bar.parts.iter().any(|(_, height)| *height > 0.0));
    let bars = visible.map(|(index, bar)| bar.markup(STEP * index as f64, axis.bar_width()));
    Markup::element("svg", &attributes, bars)
}

impl Bar {
    fn markup(&self, x: f64, width: f64) -> Markup {
        let mut foot = HEIGHT;
        let title = Markup::element("title", &[], [Markup::text(&self.label)]);
        let parts = self.parts.iter().filter(|(_, height)| *height > 0.0).map(|(class, height)| {
            let height = (height.max(LEAST) * HEIGHT).min(foot);
            foot -= height;
            let [x, y, width, height] = [x, foot, width, height].map(|number| format!("{number:.1}"));
            let attributes =
                [("class", *class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)];
            Markup::element("rect", &attributes, [])
        });
        Markup::element("g", &[], std::iter::once(title).chain(parts))
    }
}

/// The numbers below the bars.
#[derive(Debug)]
pub(super) struct Axis {
    /// The first and the last iteration of each bar.
    bars: Vec<(u64, u64)>,
}

/// The number of digits and gaps that fit below a chart on a phone.
const DIGITS: usize = 44;

/// The space between two numbers, in digits.
const GAP: usize = 2;

impl Axis {
    /// Creates the axis of bars with these first and last iterations.
    pub(super) fn of(bars: impl IntoIterator<Item = (u64, u64)>) -> Self {
        Self { bars: bars.into_iter().collect() }
    }

    /// Places each number below the middle of its bar.
    pub(super) fn markup(&self) -> Markup {
        let last = self.bars.len().saturating_sub(1);
        let ticks = self.ticks().into_iter().map(|(index, number)| {
            let middle = 100.0 * (STEP * index as f64 + self.bar_width() / 2.0) / (STEP * (last + 1) as f64);
            // The last of many bars is narrower than its number, which would leave the page.
            let is_end = index == last && last > 20;
            let (class, left) = if is_end { ("end", 100.0) } else { ("", middle) };
            let style = format!("left: {left:.2}%");
            Markup::element(
                "span",
                &[("class", class), ("style", &style)],
                [Markup::text(&number.to_string())],
            )
        });
        Markup::element("div", &[("class", "axis"), ("style", &self.max_width())], ticks)
    }

    /// Returns the bars that have a number, and it: the first, the last, and round ones between them.
    fn ticks(&self) -> Vec<(usize, u64)> {
        let (Some((first, _)), Some((_, last))) = (self.bars.first(), self.bars.last()) else {
            return Vec::new();
        };
        let most = (DIGITS / (last.to_string().len() + GAP)).max(2);
        if self.bars.len() == 1 {
            return vec![(0, *first)];
        }
        let step = round_step((last - first).div_ceil(most as u64));
        let gap = self.bars.len().div_ceil(most);
        let end = self.bars.len() - 1;
        let mut ticks = vec![(0, *first)];
        let mut number = (first / step + 1) * step;
        while number < *last {
            let index = self.bars.partition_point(|(_, last)| *last < number);
            let before = ticks.last().map_or(0, |(index, _)| *index);
            if index >= before + gap && index + gap <= end {
                ticks.push((index, number));
            }
            number += step;
        }
        ticks.push((end, *last));
        ticks
    }

    /// Returns the width of a bar. Gaps between many bars would fill most of the chart.
    fn bar_width(&self) -> f64 {
        if self.bars.len() > 60 { STEP } else { 0.8 * STEP }
    }

    /// Limits the width, so that a few bars do not become huge blocks.
    fn max_width(&self) -> String {
        format!("max-width: {}rem", 5 * self.bars.len())
    }
}

/// Returns the next round number: 1, 2 or 5 with zeros after it.
fn round_step(least: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for digit in [1, 2, 5] {
            let step = power.saturating_mul(digit);
            if step >= least {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ticks(bars: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let axis = Axis::of(bars.into_iter().map(|number| (number, number)));
        axis.ticks().into_iter().map(|(_, number)| number).collect()
    }

    #[test]
    fn an_axis_has_round_numbers_between_its_ends() {
        assert_eq!(ticks([1]), [1]);
        assert_eq!(ticks([0, 1]), [0, 1]);
        assert_eq!(ticks(1..=9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(ticks(1..=60), [1, 10, 20, 30, 40, 50, 60]);
        assert_eq!(ticks(0..=200), [0, 50, 100, 150, 200]);
    }

    proptest! {
        #[test]
        fn numbers_fit_and_belong_to_their_bars(first in 0..2_u64, bars in 1..241_usize, width in 1..5000_u64) {
            let bars: Vec<_> =
                (0..bars as u64).map(|bar| (first + bar * width, first + (bar + 1) * width - 1)).collect();
            let axis = Axis::of(bars.iter().copied());
            let ticks = axis.ticks();
            let digits = ticks.iter().map(|(_, number)| number.to_string().len() + GAP).max().unwrap_or_default();
            prop_assert!(ticks.len() <= 2 || ticks.len() * digits <= DIGITS + digits);
            prop_assert_eq!(ticks[0], (0, first));
            for (index, number) in &ticks {
                prop_assert!((bars[*index].0..=bars[*index].1).contains(number));
            }
            prop_assert!(ticks.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
