//! The clay's faces in patches, each with a tree of its own: only patches that changed are built
//! again.

use std::sync::Arc;

use impinge::bound::Aabb;
use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideConfig, WideTree};
use impinge::{DVec3, TriMesh};

/// Faces of a patch, at most when it is made; splitting may double them.
const PATCH_FACES: usize = 64;

/// Some faces of the clay, near to each other.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// The clay's number of each face.
    pub(super) faces: Vec<u32>,
    pub(super) tree: Arc<WideTree>,
    pub(super) bounds: Aabb,
}

impl Patch {
    fn new(faces: Vec<u32>, positions: &[DVec3], corners: &[[u32; 3]]) -> Self {
        let mut vertices: Vec<u32> = faces.iter().flat_map(|&f| corners[f as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let local = faces.iter().map(|&face| {
            corners[face as usize].map(|v| vertices.partition_point(|&other| other < v) as u32)
        });
        let local = local.collect();
        let places = vertices.iter().map(|&v| positions[v as usize]).collect();
        // Places and indices are those of the clay, which were checked.
        let mesh = TriMesh::new(places, local).unwrap_or_default();
        Self {
            faces,
            bounds: mesh.bounds(),
            tree: Arc::new(WideTree::build(Arc::new(mesh), &WideConfig::fast())),
        }
    }
}

/// All patches.
#[derive(Clone, Debug)]
pub(super) struct Patches {
    patches: Vec<Arc<Patch>>,
    patch_of_face: Vec<u32>,
    is_stale: Vec<bool>,
    /// Faces that splitting added to each patch.
    added: Vec<Vec<u32>>,
    /// Whether faces were removed, so that all patches are made again.
    is_broken: bool,
    built: u64,
}

impl Patches {
    pub(super) fn new(positions: &[DVec3], faces: &[[u32; 3]]) -> Self {
        let mut patches = Self {
            patches: Vec::new(),
            patch_of_face: Vec::new(),
            is_stale: Vec::new(),
            added: Vec::new(),
            is_broken: true,
            built: 0,
        };
        patches.refresh(positions, faces);
        patches
    }

    /// Notes that a face has changed.
    pub(super) fn touch(&mut self, face: u32) {
        if let Some(&patch) = self.patch_of_face.get(face as usize) {
            self.is_stale[patch as usize] = true;
        }
    }

    /// Notes the newest two faces, halves of these.
    pub(super) fn add(&mut self, face: u32, other: u32) {
        for half in [face, other] {
            let patch = self.patch_of_face[half as usize];
            self.added[patch as usize].push(self.patch_of_face.len() as u32);
            self.patch_of_face.push(patch);
            self.is_stale[patch as usize] = true;
        }
    }

    /// Notes that the newest two faces are gone and these have changed.
    pub(super) fn remove_newest(&mut self, halves: [u32; 2]) {
        let count = self.patch_of_face.len().saturating_sub(2);
        self.patch_of_face.truncate(count);
        self.is_broken = true;
        halves.into_iter().for_each(|face| self.touch(face));
    }

    /// Builds the trees of patches that have changed.
    pub(super) fn refresh(&mut self, positions: &[DVec3], faces: &[[u32; 3]]) {
        let has_grown = (self.patches.iter().zip(&self.added))
            .any(|(patch, added)| patch.faces.len() + added.len() > 2 * PATCH_FACES);
        if self.is_broken || has_grown {
            let groups = grouped(positions, faces);
            self.patch_of_face = vec![0; faces.len()];
            for (patch, group) in groups.iter().enumerate() {
                group
                    .iter()
                    .for_each(|&face| self.patch_of_face[face as usize] = patch as u32);
            }
            let made = groups
                .into_iter()
                .map(|group| Arc::new(Patch::new(group, positions, faces)));
            self.patches = made.collect();
            self.is_stale = vec![false; self.patches.len()];
            self.added = vec![Vec::new(); self.patches.len()];
            self.is_broken = false;
            self.built += self.patches.len() as u64;
            return;
        }
        let each = self
            .patches
            .iter_mut()
            .zip(&mut self.is_stale)
            .zip(&mut self.added);
        for ((patch, is_stale), added) in each {
            if std::mem::take(is_stale) {
                let mut own = patch.faces.clone();
                own.append(added);
                *patch = Arc::new(Patch::new(own, positions, faces));
                self.built += 1;
            }
        }
    }

    /// The patches as they were refreshed last; they stay as they are while the clay changes.
    pub(super) fn snapshot(&self) -> Vec<Arc<Patch>> {
        self.patches.clone()
    }

    /// Trees built so far.
    pub(super) fn built(&self) -> u64 {
        self.built
    }
}

/// Faces in groups of at most [`PATCH_FACES`], cut at the median of the longest spread of centroids.
fn grouped(positions: &[DVec3], faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let centre = |face: u32| {
        let [a, b, c] = faces[face as usize].map(|v| positions[v as usize]);
        a + b + c
    };
    let mut groups = Vec::new();
    let mut pending: Vec<Vec<u32>> = vec![(0..faces.len() as u32).collect()];
    while let Some(mut group) = pending.pop() {
        if group.len() <= PATCH_FACES {
            group.sort_unstable();
            groups.push(group);
            continue;
        }
        let size = Aabb::enclosing(group.iter().map(|&face| centre(face))).diagonal();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        group
            .sort_unstable_by(|&f, &g| centre(f)[axis].total_cmp(&centre(g)[axis]).then(f.cmp(&g)));
        let second = group.split_off(group.len() / 2);
        pending.push(second);
        pending.push(group);
    }
    groups
}
