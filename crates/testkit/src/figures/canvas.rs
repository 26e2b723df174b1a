//! A small SVG writer: panels with coordinates of their own, and a fixed set of pens.

use std::fmt::Write as _;

use impinge::DVec2;

/// How something is drawn. Colours mean the same in every figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pen {
    /// The first body: blue.
    A,
    /// The second body: orange.
    B,
    /// The fillings of the bodies without an outline.
    FillA,
    /// The same of the second.
    FillB,
    /// A face of a fine mesh, with a thin outline.
    Face,
    /// A face that was found.
    FaceHit,
    /// Outlines of the bodies without a filling.
    LineA,
    /// The same of the second.
    LineB,
    /// What was found: red.
    Hit,
    /// The same, filled.
    HitFill,
    /// What helps to find it: green.
    Help,
    /// The same, as a light filling.
    HelpFill,
    /// Thin and grey.
    Thin,
    /// Thin, grey and dashed.
    Dash,
    /// Black.
    Ink,
    /// A grey filling.
    Grey,
    /// A shade from white, 0, to dark blue, 1.
    Shade(f64),
    /// One of eight colours, as a light filling.
    Group(usize),
}

const GROUPS: [&str; 8] = [
    "#1f77b4", "#e07b1f", "#2a9d55", "#c8372d", "#8457b0", "#8c6239", "#c45aa4", "#6f7a80",
];

impl Pen {
    fn attributes(self) -> String {
        let plain = |fill: &str, stroke: &str, width: f64| {
            format!("fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\"")
        };
        match self {
            Self::A => plain("#cfe1f2", "#1f5f99", 1.2),
            Self::B => plain("#fbdcc0", "#b85c12", 1.2),
            Self::FillA => plain("#cfe1f2", "none", 0.0),
            Self::FillB => plain("#fbdcc0", "none", 0.0),
            Self::Face => plain("#e4eef8", "#6f9cc4", 0.4),
            Self::FaceHit => plain("#ef9a92", "#c8372d", 0.5),
            Self::LineA => plain("none", "#1f5f99", 1.4),
            Self::LineB => plain("none", "#b85c12", 1.4),
            Self::Hit => plain("none", "#c8372d", 2.0),
            Self::HitFill => plain("#c8372d", "none", 0.0),
            Self::Help => plain("none", "#2a8a4a", 1.4),
            Self::HelpFill => plain("#cdebd6", "none", 0.0),
            Self::Thin => plain("none", "#b5bcc2", 0.7),
            Self::Dash => format!("{} stroke-dasharray=\"4 3\"", plain("none", "#7d868d", 1.0)),
            Self::Ink => plain("none", "#22282d", 1.2),
            Self::Grey => plain("#e3e6e8", "none", 0.0),
            Self::Shade(t) => {
                let mix = |dark: f64| (255.0 + (dark - 255.0) * t.clamp(0.0, 1.0)) as u8;
                let colour = format!("#{:02x}{:02x}{:02x}", mix(31.0), mix(95.0), mix(153.0));
                plain(&colour, "#ffffff", 0.4)
            }
            Self::Group(group) => {
                let colour = GROUPS[group % GROUPS.len()];
                format!("{} fill-opacity=\"0.22\"", plain(colour, colour, 1.1))
            }
        }
    }

    fn ink(self) -> &'static str {
        match self {
            Self::A | Self::FillA | Self::Face | Self::LineA => "#1f5f99",
            Self::B | Self::FillB | Self::LineB => "#b85c12",
            Self::Hit | Self::HitFill | Self::FaceHit => "#c8372d",
            Self::Help | Self::HelpFill => "#2a8a4a",
            Self::Thin | Self::Dash | Self::Grey => "#7d868d",
            Self::Ink | Self::Shade(_) => "#22282d",
            Self::Group(group) => GROUPS[group % GROUPS.len()],
        }
    }
}

/// A part of the picture with coordinates of its own; y points up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    corner: DVec2,
    size: DVec2,
    low: DVec2,
    scale: DVec2,
}

impl Panel {
    fn map(&self, p: DVec2) -> DVec2 {
        let q = (p - self.low) * self.scale;
        DVec2::new(self.corner.x + q.x, self.corner.y + self.size.y - q.y)
    }
}

/// A picture in the making.
#[derive(Debug)]
pub(super) struct Canvas {
    size: DVec2,
    body: String,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self {
            size: DVec2::new(width, height),
            body: String::new(),
        }
    }

    /// A panel whose corner is at `at` from the top left, holding the box from `low` to `high` with one
    /// scale along both axes, in its middle.
    pub(super) fn panel(&self, at: [f64; 2], size: [f64; 2], low: DVec2, high: DVec2) -> Panel {
        let size = DVec2::from(size);
        let scale = (size / (high - low)).min_element();
        let spare = (size / scale - (high - low)) / 2.0;
        Panel {
            corner: at.into(),
            size,
            low: low - spare,
            scale: DVec2::splat(scale),
        }
    }

    /// A panel with a scale for each axis, for plots.
    pub(super) fn plot(&self, at: [f64; 2], size: [f64; 2], low: DVec2, high: DVec2) -> Panel {
        Panel {
            corner: at.into(),
            size: size.into(),
            low,
            scale: DVec2::from(size) / (high - low),
        }
    }

    pub(super) fn line(&mut self, panel: &Panel, ends: [DVec2; 2], pen: Pen) {
        let [a, b] = ends.map(|p| panel.map(p));
        let attributes = pen.attributes();
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {attributes}/>",
            a.x, a.y, b.x, b.y
        );
    }

    pub(super) fn arrow(&mut self, panel: &Panel, ends: [DVec2; 2], pen: Pen) {
        self.line(panel, ends, pen);
        let [a, b] = ends.map(|p| panel.map(p));
        let along = (b - a).normalize_or_zero() * 7.0;
        let across = along.perp() * 0.45;
        let points = [b, b - along + across, b - along - across];
        self.pixels(&points, &format!("fill=\"{}\"", pen.ink()), true);
    }

    pub(super) fn polygon(&mut self, panel: &Panel, points: &[DVec2], pen: Pen) {
        let points: Vec<DVec2> = points.iter().map(|p| panel.map(*p)).collect();
        self.pixels(&points, &pen.attributes(), true);
    }

    pub(super) fn path(&mut self, panel: &Panel, points: &[DVec2], pen: Pen) {
        let points: Vec<DVec2> = points.iter().map(|p| panel.map(*p)).collect();
        let attributes = pen.attributes();
        let open = format!("{attributes} fill-opacity=\"0\"");
        self.pixels(&points, &open, false);
    }

    fn pixels(&mut self, points: &[DVec2], attributes: &str, closed: bool) {
        let list: Vec<String> = points
            .iter()
            .map(|p| format!("{:.1},{:.1}", p.x, p.y))
            .collect();
        let name = if closed { "polygon" } else { "polyline" };
        let join = "stroke-linejoin=\"round\"";
        let _ = writeln!(
            self.body,
            "<{name} points=\"{}\" {join} {attributes}/>",
            list.join(" ")
        );
    }

    pub(super) fn rect(&mut self, panel: &Panel, low: DVec2, high: DVec2, pen: Pen) {
        let [a, b] = [DVec2::new(low.x, high.y), DVec2::new(high.x, low.y)].map(|p| panel.map(p));
        let attributes = pen.attributes();
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" {attributes}/>",
            a.x,
            a.y,
            b.x - a.x,
            b.y - a.y
        );
    }

    pub(super) fn circle(&mut self, panel: &Panel, center: DVec2, radius: f64, pen: Pen) {
        self.disc(panel.map(center), radius * panel.scale.x, &pen.attributes());
    }

    /// A dot of a fixed size, in the colour of the pen.
    pub(super) fn dot(&mut self, panel: &Panel, center: DVec2, pen: Pen) {
        self.disc(panel.map(center), 3.0, &format!("fill=\"{}\"", pen.ink()));
    }

    /// A small dot, for crowds.
    pub(super) fn speck(&mut self, panel: &Panel, center: DVec2, pen: Pen) {
        self.disc(panel.map(center), 1.6, &format!("fill=\"{}\"", pen.ink()));
    }

    fn disc(&mut self, center: DVec2, radius: f64, attributes: &str) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" {attributes}/>",
            center.x, center.y
        );
    }

    /// Text that begins at a place of a panel.
    pub(super) fn label(&mut self, panel: &Panel, at: DVec2, text: &str, pen: Pen) {
        let p = panel.map(at);
        self.write(p + DVec2::new(5.0, -4.0), text, "start", pen);
    }

    /// Text below a panel, in its middle.
    pub(super) fn caption(&mut self, panel: &Panel, text: &str) {
        let at = panel.corner + DVec2::new(panel.size.x / 2.0, panel.size.y + 17.0);
        self.write(at, text, "middle", Pen::Ink);
    }

    /// Text anywhere, in pixels from the top left, around its middle.
    pub(super) fn note(&mut self, at: [f64; 2], text: &str, pen: Pen) {
        self.write(at.into(), text, "middle", pen);
    }

    fn write(&mut self, at: DVec2, text: &str, anchor: &str, pen: Pen) {
        let escaped = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{}\">{escaped}</text>",
            at.x,
            at.y,
            pen.ink()
        );
    }

    /// Axes along the lower and the left side of a plot.
    pub(super) fn axes(&mut self, panel: &Panel, x: &str, y: &str) {
        let far = panel.low + panel.size / panel.scale;
        let corners = [
            DVec2::new(panel.low.x, far.y),
            panel.low,
            DVec2::new(far.x, panel.low.y),
        ];
        self.path(panel, &corners, Pen::Ink);
        let right = panel.corner + panel.size + DVec2::new(0.0, 15.0);
        self.write(right, x, "end", Pen::Thin);
        self.write(panel.corner + DVec2::new(4.0, -6.0), y, "start", Pen::Thin);
    }

    pub(super) fn finish(self) -> String {
        let DVec2 { x, y } = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {x} {y}\" width=\"{x}\" \
             height=\"{y}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{x}\" height=\"{y}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}
