//! Writes PLY files.

use super::super::model::Model;
use super::super::text;
use crate::mesh::TriMesh;

fn header(format: &str, mesh: &TriMesh) -> Vec<u8> {
    format!(
        "ply\nformat {format} 1.0\ncomment written by impinge\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertex_count(),
        mesh.face_count()
    )
    .into_bytes()
}

/// The merged model as little-endian binary PLY with double coordinates.
pub(in super::super) fn write_binary(model: &Model) -> Vec<u8> {
    let (mesh, _) = model.merged();
    let mut out = header("binary_little_endian", &mesh);
    out.reserve(mesh.vertex_count() * 24 + mesh.face_count() * 13);
    for p in mesh.positions() {
        for x in p.to_array() {
            out.extend_from_slice(&x.to_le_bytes());
        }
    }
    for face in mesh.faces() {
        out.push(3);
        for v in face {
            out.extend_from_slice(&v.to_le_bytes());
        }
    }
    out
}

/// The merged model as PLY text; every coordinate reads back exactly.
pub(in super::super) fn write_text(model: &Model) -> Vec<u8> {
    let (mesh, _) = model.merged();
    let mut out = header("ascii", &mesh);
    out.reserve(mesh.vertex_count() * 40 + mesh.face_count() * 20);
    text::write_rows(&mut out, &mesh);
    out
}
