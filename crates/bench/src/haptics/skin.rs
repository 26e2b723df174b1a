//! The god-object on a skin that is updated sixty times a second: crossings by the exact test of a moving vertex and a moving face.

use std::sync::Arc;

use impinge::ccd::linear::{LinearTests, MovingPoint};
use impinge::math::Rng;
use impinge::{DVec3, Mesh, TriMesh, generate};
use impinge_dynamics::proxy::{DeformingProxy, DeformingSurface};
use impinge_dynamics::rate::DurationHistogram;

use super::{micros, thread_ns};
use crate::{Bar, Bars};

/// Ticks of an update at 60 Hz.
const TICKS: u32 = 17;
/// Every so manyth tick is judged against all faces; the others against those near the way.
const WHOLE: u64 = 997;

/// The skin at an update: it breathes, and a wave runs over it.
fn shape(rest: &TriMesh, update: u64) -> Vec<DVec3> {
    let t = update as f64 / 60.0;
    let tau = std::f64::consts::TAU;
    let size = rest.bounds().half_extent().max_element();
    let moved = |p: &DVec3| {
        let wave = (3.0 * p.x / size + tau * t).sin() * (2.0 * p.y / size).cos();
        *p * (1.0 + 0.06 * (tau * t).sin() + 0.04 * wave)
    };
    rest.positions().iter().map(moved).collect()
}

/// Faces that the way from `start` to `end` passes while the skin goes from one part of its update to another: all faces, exactly.
fn passed(
    rest: &TriMesh,
    [from, to]: [&[DVec3]; 2],
    [p, q]: [DVec3; 2],
    near: &[u32],
) -> anyhow::Result<u64> {
    let mut tests = LinearTests::new(1e-6);
    let point = MovingPoint::new(p, q)?;
    let mut count = 0;
    for &face in near {
        let Some(corners) = rest.faces().get(face as usize) else {
            continue;
        };
        let at = |k: usize| {
            let vertex = corners[k] as usize;
            let start = from.get(vertex).copied().unwrap_or_default();
            MovingPoint::new(start, to.get(vertex).copied().unwrap_or_default())
        };
        count += u64::from(tests.vertex_face(point, [at(0)?, at(1)?, at(2)?]).is_some());
    }
    Ok(count)
}

/// The vertices at a part of the way between two updates, as the proxy sees them.
fn at_part(start: &[DVec3], end: &[DVec3], part: f64) -> Vec<DVec3> {
    let mix = |(p, q): (&DVec3, &DVec3)| {
        if part >= 1.0 {
            *q
        } else if part <= 0.0 {
            *p
        } else {
            *p + (*q - *p) * part
        }
    };
    start.iter().zip(end).map(mix).collect()
}

pub(super) fn run(is_full: bool, bars: &mut Bars) -> anyhow::Result<()> {
    let (faces, updates) = if is_full { (50_000, 6000) } else { (5000, 60) };
    let kind = generate::model("blob").ok_or_else(|| anyhow::anyhow!("no model blob"))?;
    let rest = kind.make(Some(faces), 1)?;
    println!(
        "skin of {} faces, updated at 60 Hz and interpolated; faces passed by the exact test of moving vertex and moving face",
        rest.face_count()
    );
    let size = rest.bounds().half_extent().max_element();
    let center = rest.bounds().center();
    let mut rng = Rng::new(21);
    let mut device = center + DVec3::Z * (1.6 * size);
    let mut points = shape(&rest, 0);
    let mut proxy: Option<DeformingProxy> = None;
    let (mut cost, mut leaps) = (DurationHistogram::new(), DurationHistogram::new());
    let mut build = DurationHistogram::new();
    let (mut crossings, mut ticks, mut touched, mut said) = (0, 0_u64, 0_u64, 0_u64);
    for update in 0..updates {
        let next = shape(&rest, update + 1);
        let mesh = Arc::new(TriMesh::new(points.clone(), rest.faces().to_vec())?);
        let before = thread_ns();
        let surface = DeformingSurface::new(Arc::clone(&mesh), next.clone())?;
        build.add(thread_ns() - before);
        let felt = match &mut proxy {
            Some(felt) => {
                felt.begin();
                felt
            }
            None => proxy.insert(DeformingProxy::new(&surface, 1000.0, device)?),
        };
        let mut from = points.clone();
        for tick in 1..=TICKS {
            let is_leap = rng.below(40) == 0;
            device = if is_leap {
                center + rng.cube() * (1.2 * size)
            } else {
                device + rng.cube() * (0.01 * size)
            };
            let part = f64::from(tick) / f64::from(TICKS);
            let start = felt.proxy();
            let before = thread_ns();
            let step = felt.update(&surface, part, device);
            let spent = thread_ns() - before;
            if is_leap {
                leaps.add(spent);
            } else {
                cost.add(spent);
            }
            touched += u64::from(step.contacts > 0);
            said += u64::from(step.crossed);
            let to = at_part(&points, &next, part);
            let near: Vec<u32> = if ticks % WHOLE == 0 {
                (0..rest.face_count() as u32).collect()
            } else {
                near_way(&rest, [&from, &to], [start, step.proxy])
            };
            crossings += u64::from(passed(&rest, [&from, &to], [start, step.proxy], &near)? > 0);
            from = to;
            ticks += 1;
        }
        points = next;
    }
    // A last look: the proxy began outside.
    let last = Mesh::from(TriMesh::new(points, rest.faces().to_vec())?);
    let is_inside = last.contains(proxy.map_or(device, |felt| felt.proxy()))?;
    println!(
        "  {ticks} ticks, {touched} in contact; tick {}; leaps across the body {}; index of an update {}; at the end the proxy is {}",
        micros(&cost.summary()),
        micros(&leaps.summary()),
        micros(&build.summary()),
        if is_inside { "inside" } else { "outside" },
    );
    bars.say(
        Bar::none_wrong(crossings + said + u64::from(is_inside), ticks),
        format_args!("no face of the skin passed in {ticks} ticks ({crossings} passed, {said} told as passed)"),
    );
    Ok(())
}

/// Faces whose box over the tick meets the box of the way.
fn near_way(rest: &TriMesh, [from, to]: [&[DVec3]; 2], [p, q]: [DVec3; 2]) -> Vec<u32> {
    let (low, high) = (p.min(q), p.max(q));
    let meets = |corners: &[u32; 3]| {
        let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &vertex in corners {
            for list in [from, to] {
                let place = list.get(vertex as usize).copied().unwrap_or_default();
                (least, most) = (least.min(place), most.max(place));
            }
        }
        least.cmple(high).all() && most.cmpge(low).all()
    };
    let each = rest.faces().iter().enumerate();
    each.filter(|(_, corners)| meets(corners))
        .map(|(face, _)| face as u32)
        .collect()
}
