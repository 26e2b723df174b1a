//! Pictures: one of each clash that is shown, and one of everything.
//!
//! Part `a` is blue with a whole outline, part `b` orange with a dashed one; what they share is red and solid. Both parts
//! are translucent, and the outer part of a containment is cut open towards the viewer.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::clash::{Clash, ClashKind, InnerPart};
use impinge::penetration::overlap_boundary;
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, Pose, TriMesh};

use super::canvas::{Canvas, Look, Pen, View};
use super::report::Report;
use crate::picture;
use crate::render::{Colour, Up};

/// Size of pictures in pixels.
pub(super) const SIZE: [usize; 2] = [640, 400];
/// Size of the picture of everything.
pub(super) const OVERVIEW: [usize; 2] = [1120, 560];
/// A part so many times as large as the other is shown only near it.
const MUCH_LARGER: f64 = 2.5;
/// Pairs of faces whose intersection is drawn.
const MOST_PAIRS: usize = 20_000;
/// Faces of both parts beyond which the shape of the overlap is not made.
const MOST_FACES: usize = 60_000;
/// Faces beyond which the picture of everything has no outlines.
const MOST_OUTLINED: usize = 200_000;

/// The first part, as on the page.
const FIRST: Colour = Colour::hex(0x2f6fd0);
const FIRST_LINE: Colour = Colour::hex(0x0b3c91);
/// The second part, as on the page.
const SECOND: Colour = Colour::hex(0xf0992e);
const SECOND_LINE: Colour = Colour::hex(0xa85500);
/// What they share, as on the page.
const SHARED: Colour = Colour::hex(0xd01640);
const SHARED_LINE: Colour = Colour::hex(0x6e0020);
const MARK: Colour = Colour::hex(0x17804a);
const GREY: Colour = Colour::hex(0xb4bac4);
const GREY_LINE: Colour = Colour::hex(0x6d7683);

/// The clashes that get a picture, at most `count`: the worst of each kind in turn, in the order of their ranks.
pub(super) fn chosen(clashes: &[Clash], count: usize) -> Vec<usize> {
    let mut of_kind: Vec<Vec<usize>> = vec![Vec::new(); ClashKind::ALL.len()];
    for (i, clash) in clashes.iter().enumerate() {
        if let Some(place) = ClashKind::ALL.iter().position(|kind| *kind == clash.kind) {
            of_kind[place].push(i);
        }
    }
    let longest = of_kind.iter().map(Vec::len).max().unwrap_or(0);
    let mut chosen: Vec<usize> = (0..longest)
        .flat_map(|round| {
            of_kind
                .iter()
                .filter_map(move |list| list.get(round).copied())
        })
        .take(count)
        .collect();
    chosen.sort_unstable();
    chosen
}

/// The picture of a clash as a PNG file.
pub(super) fn png(report: &Report, clash: &Clash, up: Up) -> io::Result<Vec<u8>> {
    let [a, b] = report.parts_of(clash).map(Report::placed);
    let mut canvas = Canvas::new(View::framing(&frame(&a, &b, clash), up, SIZE));
    let is_contained = clash.kind == ClashKind::Contained;
    let is_outer = [
        is_contained && clash.inner != Some(InnerPart::A),
        is_contained && clash.inner != Some(InnerPart::B),
    ];
    let looks = [(&a, FIRST, is_outer[0]), (&b, SECOND, is_outer[1])];
    // The outer part first, so that the inner one is seen over it.
    let order = if is_outer[1] { [1, 0] } else { [0, 1] };
    for i in order {
        let (mesh, colour, is_cut_open) = looks[i];
        let cover = if is_contained && !is_cut_open {
            0.75
        } else {
            0.38
        };
        canvas.surface(
            mesh,
            Look {
                colour,
                cover,
                is_cut_open,
            },
        );
    }
    let trees = [&a, &b].map(|mesh| WideTree::new(Arc::clone(mesh)));
    if matches!(clash.kind, ClashKind::Crossing | ClashKind::Duplicate)
        && a.face_count() + b.face_count() <= MOST_FACES
        && let Ok(shape) = overlap_boundary(&trees[0], &trees[1], &Pose::IDENTITY)
    {
        for piece in [&shape.of_a, &shape.of_b] {
            canvas.surface(
                piece,
                Look {
                    colour: SHARED,
                    cover: 0.85,
                    is_cut_open: false,
                },
            );
        }
    }
    let pen = |colour, radius| Pen {
        colour,
        radius,
        dash: None,
        behind: 0.35,
    };
    canvas.outline(&a, pen(FIRST_LINE, 1.3));
    let dashed = Pen {
        dash: Some(7.0),
        ..pen(SECOND_LINE, 1.3)
    };
    canvas.outline(&b, dashed);
    for pair in meeting_faces(&trees) {
        if let (Some(p), Some(q)) = (a.face(pair.a), b.face(pair.b))
            && let Some([p, q]) = picture::curve_piece(&p, &q)
        {
            canvas.line(p, q, pen(SHARED_LINE, 0.9));
        }
    }
    if clash.kind != ClashKind::Duplicate {
        let [p, q] = clash.points;
        let mark = Pen {
            behind: 0.8,
            ..pen(MARK, 1.4)
        };
        canvas.line(p, q, mark);
        for end in [p, q] {
            canvas.line(
                end,
                end,
                Pen {
                    radius: 3.6,
                    ..mark
                },
            );
        }
    }
    canvas.png()
}

/// What a picture shows: both parts, or the smaller one and what is around it.
fn frame(a: &TriMesh, b: &TriMesh, clash: &Clash) -> Aabb {
    let boxes = [a.bounds(), b.bounds()];
    let sizes = boxes.map(|b| b.diagonal().length());
    let union = |x: &Aabb, y: &Aabb| Aabb {
        min: x.min.min(y.min),
        max: x.max.max(y.max),
    };
    let marks = Aabb::enclosing(clash.points);
    let small = usize::from(sizes[1] < sizes[0]);
    let (less, more) = (sizes[small], sizes[1 - small]);
    if more < MUCH_LARGER * less || less == 0.0 {
        return union(&union(&boxes[0], &boxes[1]), &marks);
    }
    union(&boxes[small], &marks).inflated(0.25 * less)
}

fn meeting_faces(trees: &[WideTree; 2]) -> Vec<FacePair> {
    let mut pairs: Vec<FacePair> = Vec::new();
    let mut sink = |pair: FacePair| {
        pairs.push(pair);
        if pairs.len() < MOST_PAIRS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let mut cache = WideCache::default();
    let limits = Limits::default();
    let _ = trees[0].intersections(&trees[1], &Pose::IDENTITY, limits, &mut cache, &mut sink);
    pairs
}

/// The picture of all parts, and where in it each clash is.
pub(super) fn overview(report: &Report, up: Up) -> io::Result<(Vec<u8>, Vec<[f64; 2]>)> {
    let parts = report.gathered.parts();
    let placed: Vec<Arc<TriMesh>> = parts.iter().map(Report::placed).collect();
    let bounds = (placed.iter())
        .filter(|mesh| !mesh.is_empty())
        .fold(Aabb::EMPTY, |sum, mesh| Aabb {
            min: sum.min.min(mesh.bounds().min),
            max: sum.max.max(mesh.bounds().max),
        });
    let bounds = if bounds.is_empty() {
        Aabb::enclosing([DVec3::ZERO, DVec3::ONE])
    } else {
        bounds
    };
    let view = View::framing(&bounds, up, OVERVIEW);
    let mut canvas = Canvas::new(view);
    let look = Look {
        colour: GREY,
        cover: 0.55,
        is_cut_open: false,
    };
    canvas.surface(&joined(&placed), look);
    if report.gathered.faces() <= MOST_OUTLINED {
        let pen = Pen {
            colour: GREY_LINE,
            radius: 0.5,
            dash: None,
            behind: 0.15,
        };
        for mesh in &placed {
            canvas.outline(mesh, pen);
        }
    }
    let places = (report.clashes.iter())
        .map(|clash| view.project(clash.middle()))
        .map(|p| [p.x, p.y])
        .collect();
    Ok((canvas.png()?, places))
}

/// All meshes as one; faces beyond what numbers can count are left out.
fn joined(meshes: &[Arc<TriMesh>]) -> TriMesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let Ok(first) = u32::try_from(positions.len() + mesh.vertex_count()) else {
            break;
        };
        let first = first - mesh.vertex_count() as u32;
        positions.extend_from_slice(mesh.positions());
        faces.extend(mesh.faces().iter().map(|face| face.map(|v| v + first)));
    }
    TriMesh::new(positions, faces).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_spread_over_kinds() {
        let clash = |kind| Clash {
            a: 0,
            b: 1,
            kind,
            depth: None,
            distance: 0.0,
            points: [DVec3::ZERO; 2],
            inner: None,
            is_within_precision: false,
        };
        use ClashKind::{Contained, Crossing, Touching};
        let kinds = [Crossing, Crossing, Crossing, Contained, Touching, Touching];
        let clashes = kinds.map(clash);
        assert_eq!(chosen(&clashes, 3), [0, 3, 4]);
        assert_eq!(chosen(&clashes, 4), [0, 1, 3, 4]);
        assert_eq!(chosen(&clashes, 99).len(), 6);
    }
}
