//! Recording cloth over obstacles: simulate coarse, cut finer, verify, and hold back what would intersect.

use std::time::Instant;

use impinge::{DVec3, TriMesh};

use super::cloth_mesh::{ClothMesh, Refinement};
use super::cloth_solver::{ClothSettings, ClothState};
use super::obstacle::Obstacle;
use super::sequence::{RecordingNotes, Sequence, SequenceFaces, meeting, rounded};

/// Attempts to free a frame by holding back vertices before everything stands still.
const MOST_ATTEMPTS: usize = 24;

/// Where a held vertex is: its number and place at rest, and the time.
type HeldVertex<'a> = Box<dyn Fn(usize, DVec3, f64) -> DVec3 + 'a>;

/// A scene with one cloth.
pub(super) struct ClothRecording<'a> {
    pub(super) sheet: ClothMesh,
    /// Where the points of the sheet begin, and how long its edges are.
    pub(super) start: Box<dyn Fn(DVec3) -> DVec3 + 'a>,
    /// How often the cloth is cut finer.
    pub(super) levels: usize,
    pub(super) settings: ClothSettings,
    pub(super) frames: usize,
    pub(super) frame_seconds: f64,
    /// Which vertices are held.
    pub(super) is_held: Box<dyn Fn(usize) -> bool + 'a>,
    pub(super) hold: HeldVertex<'a>,
    pub(super) obstacles: Box<dyn Fn(f64) -> Vec<Obstacle> + 'a>,
    /// Solids as meshes, at rest; each is an object.
    pub(super) solids: Vec<TriMesh>,
    /// Where a vertex of a solid is at a time.
    pub(super) place: Box<dyn Fn(usize, DVec3, f64) -> DVec3 + 'a>,
    /// Whether every frame must be free of intersections.
    pub(super) is_free: bool,
}

impl ClothRecording<'_> {
    /// Records all frames; reports after each how many are done.
    pub(super) fn record(&self, told: &mut dyn FnMut(usize, usize)) -> anyhow::Result<Sequence> {
        let clock = Instant::now();
        let rest: Vec<DVec3> = self.sheet.points.iter().map(|&p| (self.start)(p)).collect();
        let mut cloth = ClothState::new(&rest, &self.sheet.faces);
        for k in 0..rest.len() {
            cloth.held[k] = (self.is_held)(k);
        }
        let mut refinements: Vec<Refinement> = Vec::new();
        for _ in 0..self.levels {
            let next = match refinements.last() {
                Some(last) => Refinement::new(last.vertices(), &last.faces),
                None => Refinement::new(rest.len(), &self.sheet.faces),
            };
            refinements.push(next);
        }
        let topology = self.topology(&refinements, rest.len());
        let mut sequence = Sequence {
            topologies: vec![topology],
            ..Sequence::default()
        };
        let mut notes = RecordingNotes {
            is_free: self.is_free,
            ..RecordingNotes::default()
        };
        let mut time = 0.0;
        let first = self.positions(&cloth.places, &refinements, 0.0);
        let free = !self.is_free || meeting(&first, &sequence.topologies[0].faces)?.is_empty();
        anyhow::ensure!(free, "the scene begins with intersections");
        sequence.frames.push(first);
        let ring = neighbours(rest.len(), &self.sheet.faces);
        while sequence.frames.len() < self.frames {
            let before = cloth.clone();
            let next = time + self.frame_seconds;
            let at = |part: f64| time + part * self.frame_seconds;
            cloth.frame(
                self.frame_seconds,
                &self.settings,
                &|part| (self.obstacles)(at(part)),
                &|k, part| (self.hold)(k, rest[k], at(part)),
            );
            let faces = &sequence.topologies[0].faces;
            let mut positions = self.positions(&cloth.places, &refinements, next);
            if self.is_free {
                let mut attempt = 0;
                loop {
                    let pairs = meeting(&positions, faces)?;
                    if pairs.is_empty() {
                        time = next;
                        break;
                    }
                    if attempt == MOST_ATTEMPTS {
                        notes.stalled += 1;
                        cloth = before.clone();
                        for k in 0..rest.len() {
                            cloth.stop_at(k, before.places[k]);
                        }
                        positions = sequence.frames.last().cloned().unwrap_or_default();
                        break;
                    }
                    let met = pairs
                        .iter()
                        .flat_map(|pair| [pair.a.index(), pair.b.index()]);
                    let mut marked = vec![false; rest.len()];
                    for face in met {
                        // Four faces come from one, at every level.
                        if let Some(coarse) = self.sheet.faces.get(face >> (2 * self.levels)) {
                            coarse.iter().for_each(|&v| marked[v as usize] = true);
                        }
                    }
                    for _ in 0..1 + attempt / 3 {
                        marked = grown(&marked, &ring);
                    }
                    for k in (0..rest.len()).filter(|&k| marked[k]) {
                        if !cloth.held[k] {
                            notes.held_back += 1;
                            cloth.stop_at(k, before.places[k]);
                        }
                    }
                    attempt += 1;
                    positions = self.positions(&cloth.places, &refinements, next);
                }
            } else {
                time = next;
                let is_last = sequence.frames.len() + 1 == self.frames;
                if is_last || sequence.frames.len().is_multiple_of(10) {
                    notes.most_pairs = notes.most_pairs.max(meeting(&positions, faces)?.len());
                }
            }
            sequence.frames.push(positions);
            told(sequence.frames.len(), self.frames);
        }
        notes.seconds = clock.elapsed().as_secs_f64();
        sequence.notes = notes;
        Ok(sequence)
    }

    fn topology(&self, refinements: &[Refinement], coarse: usize) -> SequenceFaces {
        let (mut faces, mut vertices) = match refinements.last() {
            Some(last) => (last.faces.clone(), last.vertices() as u32),
            None => (self.sheet.faces.clone(), coarse as u32),
        };
        let mut object_of_face = vec![0; faces.len()];
        for (object, solid) in (1..).zip(&self.solids) {
            faces.extend(solid.faces().iter().map(|f| f.map(|v| v + vertices)));
            vertices += solid.vertex_count() as u32;
            object_of_face.resize(faces.len(), object);
        }
        SequenceFaces {
            first_frame: 0,
            faces,
            object_of_face,
        }
    }

    /// Everything at a time, as files hold it.
    fn positions(&self, cloth: &[DVec3], refinements: &[Refinement], time: f64) -> Vec<DVec3> {
        let mut points = cloth.to_vec();
        for refinement in refinements {
            points = refinement.apply(&points);
        }
        for (solid, mesh) in self.solids.iter().enumerate() {
            let placed = mesh
                .positions()
                .iter()
                .map(|&p| (self.place)(solid, p, time));
            points.extend(placed);
        }
        points.into_iter().map(rounded).collect()
    }
}

fn neighbours(vertices: usize, faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut ring = vec![Vec::new(); vertices];
    for face in faces {
        for &v in face {
            ring[v as usize].extend_from_slice(face);
        }
    }
    ring
}

/// The marked and all beside them.
fn grown(marked: &[bool], ring: &[Vec<u32>]) -> Vec<bool> {
    let is_near = |around: &Vec<u32>| around.iter().any(|&v| marked[v as usize]);
    ring.iter().map(is_near).collect()
}
