//! The common parts of both charts: SVG as text, on a grid of pixels.

use std::fmt::Write;

/// The role of a part of a drawing, which decides its colour. In the guide it is a colour of mdBook's theme; elsewhere,
/// a colour that is readable on light and dark pages.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    Text,
    Faint,
    Line,
    Held,
    Missed,
}

impl Ink {
    const fn class(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Faint => "faint",
            Self::Line => "line",
            Self::Held => "held",
            Self::Missed => "missed",
        }
    }
}

const STYLE: &str = "\
.chart{font:12px system-ui,sans-serif}\
.chart .text{fill:var(--fg,#777)}\
.chart .faint{fill:var(--fg,#777);opacity:.7}\
.chart .line{stroke:var(--fg,#777);opacity:.4}\
.chart .held{fill:var(--links,#3b82d6)}\
.chart .missed{fill:#d9722a}\
.chart polyline{stroke-width:2}\
.chart polyline.held{fill:none;stroke:var(--links,#3b82d6)}\
.chart polyline.missed{fill:none;stroke:#d9722a}";

/// A drawing in progress.
pub(super) struct Drawing(String);

/// The position of a text relative to its given point.
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    /// Creates an empty drawing. `says` is its description for people who cannot see it.
    pub(super) fn new(width: f64, height: f64, says: &str) -> Self {
        Self(format!(
            "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n",
            escaped(says)
        ))
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: &Anchor, ink: Ink, text: &str) {
        let ink = ink.class();
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{ink}\">{text}</text>"
        ));
    }

    pub(super) fn bar(&mut self, (x, y): (f64, f64), width: f64, ink: Ink) {
        let ink = ink.class();
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"12\" rx=\"2\" class=\"{ink}\"/>"
        ));
    }

    /// Draws a straight line, which may be dashed.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, is_dashed: bool) {
        let ink = ink.class();
        let ((x1, y1), (x2, y2)) = (from, to);
        let dashes = if is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{ink}\"{dashes}/>"
        ));
    }

    /// Draws a line through points, and marks each point.
    pub(super) fn curve(&mut self, points: &[(f64, f64)], ink: Ink) {
        let ink = ink.class();
        let mut path = String::new();
        for (x, y) in points {
            path += &format!("{x:.1},{y:.1} ");
            self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" class=\"{ink}\"/>"));
        }
        let path = path.trim_end();
        self.add(format_args!("<polyline points=\"{path}\" class=\"{ink}\"/>"));
    }

    pub(super) fn finish(self) -> String {
        self.0 + "</svg>\n"
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _infallible = writeln!(self.0, "{element}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
