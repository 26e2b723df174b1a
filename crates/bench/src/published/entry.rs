//! A published figure, and the places in records where its counterpart may be.

/// Where the counterpart of a figure is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A bar of a part whose words are these, in whatever order; it says what was reached.
    Bar(&'static str, &'static [&'static str]),
    /// A bar that says what was asked and whether it is met, and no figure: it stands beside figures, and is none.
    Verdict(&'static str, &'static [&'static str]),
    /// A row of some table of a part, with these words in its cells or its table's title.
    Row(&'static str, &'static [&'static str]),
    /// A line that a benchmark printed, or a note it left.
    Line(&'static str, &'static [&'static str]),
    /// Places that belong together: whatever is there is shown, in this order.
    All(&'static [Place]),
    /// Words before what is at a place, where its own do not say what they are about.
    Under(&'static str, &'static Place),
    /// What no record has, said beside what some have.
    Said(&'static str),
    /// Triangles a second, where a place says milliseconds a frame: what they are of, and how many a frame has.
    Rate(&'static str, f64, &'static Place),
}

impl Place {
    /// The part of the records that it is in, or the first of those.
    pub(super) fn part(self) -> &'static str {
        match self {
            Self::Bar(part, _)
            | Self::Verdict(part, _)
            | Self::Row(part, _)
            | Self::Line(part, _) => part,
            Self::All(places) => places.first().map_or("", |place| place.part()),
            Self::Under(_, place) | Self::Rate(_, _, place) => place.part(),
            Self::Said(_) => "",
        }
    }
}

/// One published figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) what: &'static str,
    pub(super) published: &'static str,
    /// The first of them that is there is shown; one with a figure comes before one that is decided, and that before one that is open.
    pub(super) ours: &'static [Place],
    /// Why there is nothing of ours, where there is nothing.
    pub(super) otherwise: &'static str,
    /// Whether nothing can be measured: there is nothing to run, or what it was about is no more.
    pub(super) is_by_nature: bool,
}

/// The shortest way to write one.
pub(super) const fn entry(
    id: &'static str,
    what: &'static str,
    published: &'static str,
    ours: &'static [Place],
    otherwise: &'static str,
) -> Entry {
    Entry {
        id,
        what,
        published,
        ours,
        otherwise,
        is_by_nature: false,
    }
}

/// One that could be measured, and is not.
pub(super) const fn unmeasured(
    id: &'static str,
    what: &'static str,
    published: &'static str,
    why: &'static str,
) -> Entry {
    entry(id, what, published, &[], why)
}

/// One that cannot be measured.
pub(super) const fn by_nature(
    id: &'static str,
    what: &'static str,
    published: &'static str,
    why: &'static str,
) -> Entry {
    Entry {
        is_by_nature: true,
        ..entry(id, what, published, &[], why)
    }
}
