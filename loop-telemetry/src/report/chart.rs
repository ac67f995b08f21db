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
    pub(super) first: u64,
    pub(super) last: u64,
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
    pub(super) fn markup(&self) -> Markup {
        let title = Markup::words("span", "title", self.title);
        let top = Markup::words("span", "top", &self.top);
        let legend = self.legend.iter().map(|(class, meaning)| {
            let class = format!("key {class}");
            Markup::element("span", &[("class", &class)], [Markup::text(meaning)])
        });
        let caption = Markup::element("figcaption", &[], [title, top].into_iter().chain(legend));
        let plot = Markup::element("div", &[("class", "plot")], [self.drawing()]);
        Markup::element("figure", &[], [caption, plot, self.axis()])
    }

    fn drawing(&self) -> Markup {
        let count = self.bars.len();
        let width = STEP * count as f64;
        let attributes = [
            ("viewBox", format!("0 0 {width} {HEIGHT}")),
            ("preserveAspectRatio", "none".to_owned()),
            ("role", "img".to_owned()),
            ("aria-label", format!("{}: {}", self.title, self.top)),
            ("style", self.widest()),
        ];
        let attributes = attributes.each_ref().map(|(key, value)| (*key, value.as_str()));
        // Gaps between this many bars would fill most of the chart.
        let body = if count > 60 { STEP } else { 0.8 * STEP };
        let bars = self.bars.iter().enumerate().map(|(index, bar)| bar.markup(STEP * index as f64, body));
        Markup::element("svg", &attributes, bars)
    }

    fn axis(&self) -> Markup {
        let first = self.bars.first().map(|bar| bar.first.to_string()).unwrap_or_default();
        let last = self.bars.last().map(|bar| bar.last.to_string()).unwrap_or_default();
        let ends = if first == last { vec![first] } else { vec![first, last] };
        let ends = ends.into_iter().map(|number| Markup::words("span", "", &number));
        Markup::element("div", &[("class", "axis"), ("style", &self.widest())], ends)
    }

    /// Limits the width, so that a few bars do not become huge blocks.
    fn widest(&self) -> String {
        format!("max-width: {}rem", 5 * self.bars.len())
    }
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
