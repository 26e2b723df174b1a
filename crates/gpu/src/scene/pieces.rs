//! Faces much larger than the others, cut into pieces for clusters and sweep.
//!
//! **Question.** One large face joins all clusters and overlaps everything along every axis. Can it be processed in pieces?
//! **Idea.** A face larger than a limit is halved at its longest edge until no piece is, at most eight times. Pieces are clustered, sorted and swept;
//! the pairs that come out are those of their faces, and the filter sees whole faces.
//! **Source.** Mainzer's thesis 5.5 suggests this and leaves it open.
//! **Promise.** Middles are rounded to the grid, by half a unit each: a corner of a piece is off by less than 8 units, for which the intervals have a
//! slack of one, 1024 units. The mapping to clusters rounds to 65 536 units and has the same margin twice over. So no pair is lost. Integers only.

use crate::kernel::{Dispatch, GROUP, Kernel};

/// Maximum number of halvings of one face.
const MAX_HALVINGS: u32 = 8;
/// Slack of the intervals of pieces.
pub(super) const PIECE_SLACK: u32 = 1;

/// How many pieces each face has.
pub static COUNT_PIECES: Kernel = Kernel {
    name: "count_pieces",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/corners.wgsl"),
        include_str!("../shaders/count_pieces.wgsl"),
        include_str!("../shaders/pieces.wgsl")
    ),
    twin: count_pieces,
    buffers: 3,
    items: GROUP,
    bytes: 56,
    ops: 60,
    shared: 0,
};

/// The pieces: corners, faces, and which face each is of.
pub static WRITE_PIECES: Kernel = Kernel {
    name: "write_pieces",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/corners.wgsl"),
        include_str!("../shaders/write_pieces.wgsl"),
        include_str!("../shaders/pieces.wgsl")
    ),
    twin: write_pieces,
    buffers: 6,
    items: GROUP,
    bytes: 120,
    ops: 80,
    shared: 0,
};

type Corners = [[i32; 3]; 3];

fn extent(a: [i32; 3], b: [i32; 3]) -> u32 {
    let along = |k: usize| a[k].abs_diff(b[k]);
    along(0).max(along(1)).max(along(2))
}

/// The pieces of a face, in the order in which both kernels meet them.
fn each_piece(corners: Corners, limit: u32, mut piece: impl FnMut(Corners)) {
    let mut open = vec![(corners, 0)];
    while let Some(([a, b, c], halvings)) = open.pop() {
        let (ab, bc, ca) = (extent(a, b), extent(b, c), extent(c, a));
        let [a, b, c] = if ab >= bc && ab >= ca {
            [a, b, c]
        } else if bc >= ca {
            [b, c, a]
        } else {
            [c, a, b]
        };
        if ab.max(bc).max(ca) <= limit || halvings >= MAX_HALVINGS {
            piece([a, b, c]);
            continue;
        }
        let m: [i32; 3] = std::array::from_fn(|k| (a[k] >> 1) + (b[k] >> 1) + (a[k] & b[k] & 1));
        open.push(([a, m, c], halvings + 1));
        open.push(([m, b, c], halvings + 1));
    }
}

fn corners(positions: &[u32], faces: &[u32], f: usize) -> Corners {
    std::array::from_fn(|i| {
        let v = faces[4 * f + i] as usize;
        std::array::from_fn(|k| positions[3 * v + k] as i32)
    })
}

fn count_pieces(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, limit, ..] = dispatch.parameters;
    let [positions, faces, counts] = buffers else {
        return;
    };
    for (f, place) in counts.iter_mut().enumerate().take(n as usize) {
        let mut count = 0;
        each_piece(corners(positions, faces, f), limit, |_| count += 1);
        *place = count;
    }
}

fn write_pieces(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, limit, ..] = dispatch.parameters;
    let [
        positions,
        faces,
        sums,
        piece_positions,
        piece_faces,
        parents,
    ] = buffers
    else {
        return;
    };
    for f in 0..n as usize {
        let mut place = sums[2 * f] as usize;
        each_piece(corners(positions, faces, f), limit, |piece| {
            for (k, q) in piece.into_iter().enumerate() {
                for (axis, x) in q.into_iter().enumerate() {
                    piece_positions[3 * (3 * place + k) + axis] = x as u32;
                }
                piece_faces[4 * place + k] = (3 * place + k) as u32;
            }
            piece_faces[4 * place + 3] = faces[4 * f + 3];
            parents[place] = f as u32;
            place += 1;
        });
    }
}
