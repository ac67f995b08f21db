//! What both charts are drawn with: SVG as text, on a grid of pixels.

use std::fmt::Write;

/// The colours of a page that is light or dark.
pub(super) struct Palette {
    pub(super) text: &'static str,
    pub(super) faint: &'static str,
    pub(super) line: &'static str,
    pub(super) held: &'static str,
    pub(super) missed: &'static str,
}

impl Palette {
    pub(super) const LIGHT: Self =
        Self { text: "#1f2328", faint: "#656d76", line: "#d0d7de", held: "#0969da", missed: "#bc4c00" };
    pub(super) const DARK: Self =
        Self { text: "#e6edf3", faint: "#9198a1", line: "#3d444d", held: "#4493f8", missed: "#f0883e" };
}

/// A drawing under way.
pub(super) struct Drawing(String);

/// Where a text's given point is.
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    /// An empty one. `says` is for who cannot see it.
    pub(super) fn new(width: f64, height: f64, says: &str) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>{}</title>\n",
            escaped(says)
        ))
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: &Anchor, colour: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{text}</text>"
        ));
    }

    pub(super) fn bar(&mut self, (x, y): (f64, f64), width: f64, colour: &str) {
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"12\" rx=\"2\" fill=\"{colour}\"/>"
        ));
    }

    /// A straight line, dashed or not.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, is_dashed: bool) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let dashes = if is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"{dashes}/>"
        ));
    }

    /// A line through points, each marked.
    pub(super) fn curve(&mut self, points: &[(f64, f64)], colour: &str) {
        let mut path = String::new();
        for (x, y) in points {
            path += &format!("{x:.1},{y:.1} ");
            self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        }
        let path = path.trim_end();
        self.add(format_args!(
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        ));
    }

    pub(super) fn finish(self) -> String {
        self.0 + "</svg>\n"
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // A string takes all that is written to it.
        let _infallible = writeln!(self.0, "{element}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
