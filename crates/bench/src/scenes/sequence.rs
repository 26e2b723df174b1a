//! Recorded scenes: faces, objects, and where the vertices are in every frame. Kept in files with a checksum.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use impinge::bvh::wide::{SelfIntersectOptions, WideCache, WideTree};
use impinge::query::{FacePair, Limits};
use impinge::{DVec3, TriMesh};
use serde::{Deserialize, Serialize};

const SIGNATURE: &[u8; 8] = b"IMPSEQ2\n";

/// Faces that stay for some frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SequenceFaces {
    /// The first frame that has these faces.
    pub(crate) first_frame: usize,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) object_of_face: Vec<u32>,
}

/// A recorded scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sequence {
    /// One, or more when things break.
    pub(crate) topologies: Vec<SequenceFaces>,
    pub(crate) frames: Vec<Vec<DVec3>>,
    pub(crate) notes: RecordingNotes,
}

impl Sequence {
    /// Of faces that never change, recorded since `clock` began.
    pub(super) fn unbroken(
        topology: SequenceFaces,
        frames: Vec<Vec<DVec3>>,
        mut notes: RecordingNotes,
        clock: Instant,
    ) -> Self {
        notes.seconds = clock.elapsed().as_secs_f64();
        Self {
            topologies: vec![topology],
            frames,
            notes,
        }
    }
}

/// What was noticed while recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordingNotes {
    /// Whether every frame was tested and no two faces meet.
    pub(crate) is_free: bool,
    /// Frames in which everything stood still because nothing else was free of intersections.
    pub(crate) stalled: usize,
    /// Vertices that were held back in some frame, counted over all frames.
    pub(crate) held_back: usize,
    /// Pairs of faces that meet, in the frame that has most of them; 0 when free.
    pub(crate) most_pairs: usize,
    pub(crate) seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    key: String,
    topologies: Vec<SequenceFaces>,
    vertices: Vec<usize>,
    notes: RecordingNotes,
}

impl Sequence {
    /// The faces of a frame.
    pub(crate) fn topology(&self, frame: usize) -> &SequenceFaces {
        let at = self
            .topologies
            .partition_point(|topology| topology.first_frame <= frame);
        &self.topologies[at.saturating_sub(1)]
    }

    /// Whether the faces of this frame are others than those of the frame before.
    pub(crate) fn breaks_at(&self, frame: usize) -> bool {
        frame > 0 && self.topologies.iter().any(|t| t.first_frame == frame)
    }

    /// Faces of the first frame and of the last.
    pub(crate) fn face_counts(&self) -> (usize, usize) {
        let of = |t: Option<&SequenceFaces>| t.map_or(0, |t| t.faces.len());
        (of(self.topologies.first()), of(self.topologies.last()))
    }

    pub(crate) fn save(&self, path: &Path, key: &str) -> anyhow::Result<()> {
        let header = Header {
            key: key.to_owned(),
            topologies: self.topologies.clone(),
            vertices: self.frames.iter().map(Vec::len).collect(),
            notes: self.notes.clone(),
        };
        let json = serde_json::to_vec(&header)?;
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend_from_slice(&(json.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&json);
        for x in self.frames.iter().flatten().flat_map(|p| p.to_array()) {
            // Positions were rounded to f32 before they were tested.
            bytes.extend_from_slice(&(x as f32).to_le_bytes());
        }
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let partial = path.with_extension(format!("{}.partial", std::process::id()));
        std::fs::write(&partial, bytes).with_context(|| partial.display().to_string())?;
        std::fs::rename(&partial, path).with_context(|| path.display().to_string())
    }

    /// The scene in a file, if it was made with the same key and is whole.
    pub(crate) fn load(path: &Path, key: &str) -> anyhow::Result<Self> {
        let bytes = std::fs::read(path)?;
        let (body, sum) = bytes.split_last_chunk::<8>().context("too short")?;
        ensure!(
            checksum(body) == u64::from_le_bytes(*sum),
            "the checksum is wrong"
        );
        let rest = body
            .strip_prefix(SIGNATURE)
            .context("not a recorded scene")?;
        let (length, rest) = rest.split_first_chunk::<8>().context("too short")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (json, rest) = rest.split_at_checked(length).context("too short")?;
        let header: Header = serde_json::from_slice(json)?;
        if header.key != key {
            bail!("made with other settings");
        }
        let (numbers, _) = rest.as_chunks::<4>();
        let (points, _) = numbers.as_chunks::<3>();
        let mut points = points
            .iter()
            .map(|p| DVec3::from_array(p.map(|x| f64::from(f32::from_le_bytes(x)))));
        let frames: Vec<Vec<DVec3>> = header
            .vertices
            .iter()
            .map(|&count| points.by_ref().take(count).collect())
            .collect();
        ensure!(
            frames
                .iter()
                .map(Vec::len)
                .eq(header.vertices.iter().copied()),
            "frames are missing"
        );
        Ok(Self {
            topologies: header.topologies,
            frames,
            notes: header.notes,
        })
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &b| {
        (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The point as files hold it.
pub(super) fn rounded(p: DVec3) -> DVec3 {
    DVec3::from_array(p.to_array().map(|x| f64::from(x as f32)))
}

/// Every pair of faces that meet beyond what they share, by the exact test.
pub(super) fn meeting(positions: &[DVec3], faces: &[[u32; 3]]) -> anyhow::Result<Vec<FacePair>> {
    let mesh = TriMesh::new(positions.to_vec(), faces.to_vec())?;
    let tree = WideTree::new(Arc::new(mesh));
    let mut pairs: Vec<FacePair> = Vec::new();
    let _ = tree.self_intersections(
        &SelfIntersectOptions::default(),
        Limits::default(),
        &mut WideCache::default(),
        &mut pairs,
    );
    Ok(pairs)
}
