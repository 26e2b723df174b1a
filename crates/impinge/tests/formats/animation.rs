//! Animations are read as they are meant, frame by frame, and damaged ones are refused with frame and place.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::Path;

use impinge::DVec3;
use impinge::io::{
    AnimationError, AnimationOptions, AnimationReader, Unit, open_animation, read_animation,
};
use impinge_testkit::recorded;

use crate::Folder;

const TRIANGLE: &str = "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn open(path: &Path) -> Result<AnimationReader, AnimationError> {
    open_animation(path, &AnimationOptions::default())
}

fn refusal(path: &Path) -> String {
    open(path).unwrap_err().to_string()
}

fn point(frame: usize, vertex: usize) -> DVec3 {
    DVec3::new(vertex as f64, frame as f64, 0.5 * (frame * vertex) as f64)
}

fn pc2(frames: usize, points: usize) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend((points as u32).to_le_bytes());
    bytes.extend(12_f32.to_le_bytes());
    bytes.extend(1_f32.to_le_bytes());
    bytes.extend((frames as u32).to_le_bytes());
    for x in (0..frames).flat_map(|k| (0..points).flat_map(move |v| point(k, v).to_array())) {
        bytes.extend((x as f32).to_le_bytes());
    }
    bytes
}

fn mdd(frames: usize, points: usize, time: impl Fn(usize) -> f32) -> Vec<u8> {
    let mut bytes = (frames as u32).to_be_bytes().to_vec();
    bytes.extend((points as u32).to_be_bytes());
    bytes.extend((0..frames).flat_map(|k| time(k).to_be_bytes()));
    for x in (0..frames).flat_map(|k| (0..points).flat_map(move |v| point(k, v).to_array())) {
        bytes.extend((x as f32).to_be_bytes());
    }
    bytes
}

#[test]
fn numbered_files_come_in_the_order_of_their_numbers() {
    let folder = Folder::new("anim-numbers");
    for k in [9, 10, 100] {
        folder.with(
            &format!("step{k}.obj"),
            TRIANGLE.replace("v 0 0 0", &format!("v 0 0 {k}")),
        );
    }
    folder.with("notes.txt", "not a mesh 17");
    let read = read_animation(&folder.0, &AnimationOptions::default()).unwrap();
    let heights: Vec<f64> = read.frames.iter().map(|frame| frame[0].z).collect();
    assert_eq!(heights, [9.0, 10.0, 100.0]);
    assert_eq!(read.object_names, ["one"]);
    assert_eq!(read.times, [0.0, 1.0 / 24.0, 2.0 / 24.0]);
    for pattern in ["step*.obj", "step#.obj", "step%d.obj"] {
        assert_eq!(
            open(&folder.0.join(pattern)).unwrap().frame_count(),
            3,
            "{pattern}"
        );
    }
    assert_eq!(open(&folder.0.join("step##.obj")).unwrap().frame_count(), 2);
}

#[test]
fn a_folder_must_hold_one_sequence() {
    let folder = Folder::new("anim-several");
    assert!(refusal(&folder.0).contains("no numbered meshes"));
    for k in 0..2 {
        folder.with(&format!("a{k}.obj"), TRIANGLE);
        folder.with(&format!("b{k}.obj"), TRIANGLE);
    }
    let text = refusal(&folder.0);
    assert!(text.contains("a*.obj") && text.contains("b*.obj"), "{text}");
    folder.with("a2.obj", TRIANGLE);
    // The longest counts when there is one.
    assert_eq!(open(&folder.0).unwrap().frame_count(), 3);
    folder.with("a02.obj", TRIANGLE);
    assert!(refusal(&folder.0).contains("the number 2"));
}

#[test]
fn frames_that_do_not_fit_are_refused_and_the_others_still_read() {
    let folder = Folder::new("anim-unfit");
    folder.with("f0.obj", TRIANGLE);
    folder.with("f1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
    folder.with("f2.obj", TRIANGLE.replace("v 1 0 0", "v 1 nan 0"));
    folder.with("f3.obj", TRIANGLE.replace("f 1 2 3", "f 1 3 2"));
    folder.with("f4.obj", TRIANGLE.replace("v 1 0 0", "v 1 0"));
    folder.with("f5.obj", TRIANGLE);
    let mut reader = open(&folder.0).unwrap();
    assert_eq!(reader.frame_count(), 6);
    assert!(matches!(
        reader.read_frame(1),
        Err(AnimationError::VertexCount {
            frame: 1,
            expected: 3,
            found: 4,
            ..
        })
    ));
    let text = reader.read_frame(2).unwrap_err().to_string();
    assert!(
        text.starts_with("frame 2: ") && text.contains("f2.obj") && text.contains("line 3"),
        "{text}"
    );
    assert!(matches!(
        reader.read_frame(3),
        Err(AnimationError::FacesChanged {
            frame: 3,
            face: 0,
            ..
        })
    ));
    assert!(
        reader
            .read_frame(4)
            .unwrap_err()
            .to_string()
            .contains("line 3")
    );
    assert!(matches!(
        reader.read_frame(6),
        Err(AnimationError::NoFrame {
            frame: 6,
            frames: 6
        })
    ));
    assert_eq!(reader.read_frame(5).unwrap(), reader.read_frame(0).unwrap());
}

#[test]
fn point_caches_of_both_kinds_give_what_was_put_in() {
    let folder = Folder::new("anim-caches");
    folder.with("cloth.obj", TRIANGLE);
    let files = [
        folder.with("cloth.pc2", pc2(4, 3)),
        folder.with("cloth.mdd", mdd(4, 3, |k| 0.25 * k as f32)),
    ];
    for file in files {
        let mut reader = open(&file).unwrap();
        assert_eq!((reader.frame_count(), reader.vertex_count()), (4, 3));
        // Any order.
        for k in [3, 0, 2] {
            let frame = reader.read_frame(k).unwrap();
            assert_eq!(frame, (0..3).map(|v| point(k, v)).collect::<Vec<_>>());
        }
    }
    assert_eq!(open(&folder.0.join("cloth.mdd")).unwrap().time(3), 0.75);
    assert_eq!(open(&folder.0.join("cloth.pc2")).unwrap().time(0), 0.5);
    let mut options = AnimationOptions::default();
    options.read.units = Some(Unit::Centimetre);
    let read = read_animation(folder.0.join("cloth.pc2"), &options).unwrap();
    assert_eq!(read.frames[1][2], point(1, 2) * 0.01);
}

#[test]
fn damaged_point_caches_are_refused_with_frame_and_byte() {
    let folder = Folder::new("anim-damaged");
    folder.with("cloth.obj", TRIANGLE);
    let mut cut = pc2(4, 3);
    cut.truncate(cut.len() - 5);
    let file = folder.with("cloth.pc2", &cut);
    let mut reader = open(&file).unwrap();
    assert_eq!(reader.read_frame(2).unwrap()[1], point(2, 1));
    let text = reader.read_frame(3).unwrap_err().to_string();
    assert!(
        text.starts_with("frame 3: ") && text.contains("3 of 4 frames are whole"),
        "{text}"
    );
    let mut wrong = pc2(4, 3);
    let at = 32 + 36 * 2 + 12;
    wrong[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let file = folder.with("cloth.pc2", &wrong);
    let text = open(&file).unwrap().read_frame(2).unwrap_err().to_string();
    assert!(
        text.contains(&format!("byte {at}")) && text.contains("vertex 1"),
        "{text}"
    );
    assert!(matches!(
        open(&folder.with("cloth.pc2", pc2(2, 5))),
        Err(AnimationError::VertexCount {
            expected: 3,
            found: 5,
            ..
        })
    ));
    assert!(matches!(
        open(&folder.with("cloth.mdd", mdd(3, 3, |k| [0.0, 1.0, 0.5][k]))),
        Err(AnimationError::TimeReversed { frame: 2, .. })
    ));
    // Of frames that are declared and not there, only the first is counted.
    let mut declared = pc2(2, 3);
    declared[28..32].copy_from_slice(&u32::MAX.to_le_bytes());
    for (length, whole) in [(32, 0), (32 + 36, 1), (32 + 2 * 36, 2)] {
        let mut reader = open(&folder.with("cloth.pc2", &declared[..length])).unwrap();
        assert_eq!(reader.frame_count(), whole + 1);
        if whole > 0 {
            assert_eq!(
                reader.read_frame(whole - 1).unwrap()[2],
                point(whole - 1, 2)
            );
        }
        let text = reader.read_frame(whole).unwrap_err().to_string();
        let wanted = format!("{whole} of {} frames are whole", u32::MAX);
        assert!(text.contains(&wanted), "{text}");
    }
    assert!(refusal(&folder.with("cloth.pc2", b"POINTCACHE2\0")).contains("ends inside"));
    assert!(refusal(&folder.with("cloth.pc2", [b'x'; 40])).contains("POINTCACHE2"));
    assert!(refusal(&folder.with("cloth.mdd", [0x7f; 16])).contains("MDD"));
    assert!(refusal(&folder.with("alone.pc2", pc2(1, 3))).contains("--mesh"));
}

#[test]
fn skinning_matrices_move_every_vertex_by_its_bones() {
    let folder = Folder::new("anim-skin");
    folder.with("worm.obj", TRIANGLE);
    // Vertex 0 follows bone 0, vertex 1 bone 1, vertex 2 both.
    folder.with("worm-weights.dmat", "2 3\n1\n0\n0.5\n0\n1\n0.5\n");
    let row = |bones: [[f64; 4]; 2]| bones.concat();
    let at = |height: f64| {
        let mut column = row([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]);
        column.extend(row([[0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]));
        column.extend(row([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, height]]));
        column
    };
    let mut bytes = b"0 0\n2 24\n".to_vec();
    bytes.extend(at(0.0).iter().chain(&at(4.0)).flat_map(|x| x.to_le_bytes()));
    let file = folder.with("worm-anim.dmat", &bytes);
    let read = read_animation(&file, &AnimationOptions::default()).unwrap();
    assert_eq!(read.frames.len(), 2);
    let heights: Vec<f64> = read.frames[1].iter().map(|p| p.z).collect();
    assert_eq!(heights, [0.0, 4.0, 2.0]);
    assert_eq!(read.frames[0][1], DVec3::X);
    bytes.pop();
    assert!(refusal(&folder.with("worm-anim.dmat", &bytes)).contains("room for"));
    folder.with("worm-weights.dmat", "2 2\n1\n0\n0\n1\n");
    assert!(matches!(
        open(&file),
        Err(AnimationError::VertexCount { found: 2, .. }) | Err(AnimationError::File(_))
    ));
}

/// A GLB file from its JSON and its numbers.
fn glb(json: &str, floats: &[f32], tail: &[u8]) -> Vec<u8> {
    let mut binary: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    binary.extend_from_slice(tail);
    binary.resize(binary.len().next_multiple_of(4), 0);
    let json = json.replace("LENGTH", &binary.len().to_string());
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut out = b"glTF".to_vec();
    out.extend(2_u32.to_le_bytes());
    out.extend(((28 + json.len() + binary.len()) as u32).to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(json);
    out.extend((binary.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(binary);
    out
}

/// A triangle that rises with its node, grows by a target, and whose last vertex follows a joint that turns.
fn animated() -> Vec<u8> {
    let half = 0.5_f32.sqrt();
    #[rustfmt::skip]
    let floats = [
        // 0: positions; 36: displacements of the target.
        0.0, 0.0, 0.0,  1.0, 0.0, 0.0,  0.0, 1.0, 0.0,
        0.0, 0.0, 0.0,  1.0, 0.0, 0.0,  0.0, 0.0, 0.0,
        // 72: times; 80: translations; 104: weights; 112: rotations about z, none and a quarter turn.
        0.0, 1.0,
        0.0, 0.0, 0.0,  0.0, 0.0, 2.0,
        0.0, 1.0,
        0.0, 0.0, 0.0, 1.0,  0.0, 0.0, half, half,
        // 144: weights of joints for three vertices.
        1.0, 0.0, 0.0, 0.0,  1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,
    ];
    // 192: joints for three vertices, four bytes each.
    let joints = [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0];
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2,3]}],
      "nodes":[{"name":"plain","mesh":0},{"name":"skinned","mesh":1,"skin":0},{"name":"still"},{"name":"turning"}],
      "meshes":[
        {"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":1}]}],"weights":[0.0]},
        {"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":7,"WEIGHTS_0":6}}]}],
      "skins":[{"joints":[2,3]}],
      "animations":[{"channels":[
          {"sampler":0,"target":{"node":0,"path":"translation"}},
          {"sampler":1,"target":{"node":0,"path":"weights"}},
          {"sampler":2,"target":{"node":3,"path":"rotation"}}],
        "samplers":[{"input":2,"output":3},{"input":2,"output":4,"interpolation":"STEP"},{"input":2,"output":5}]}],
      "accessors":[
        {"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
        {"bufferView":0,"byteOffset":36,"componentType":5126,"count":3,"type":"VEC3"},
        {"bufferView":0,"byteOffset":72,"componentType":5126,"count":2,"type":"SCALAR"},
        {"bufferView":0,"byteOffset":80,"componentType":5126,"count":2,"type":"VEC3"},
        {"bufferView":0,"byteOffset":104,"componentType":5126,"count":2,"type":"SCALAR"},
        {"bufferView":0,"byteOffset":112,"componentType":5126,"count":2,"type":"VEC4"},
        {"bufferView":0,"byteOffset":144,"componentType":5126,"count":3,"type":"VEC4"},
        {"bufferView":0,"byteOffset":192,"componentType":5121,"count":3,"type":"VEC4"}],
      "bufferViews":[{"buffer":0,"byteLength":LENGTH}],"buffers":[{"byteLength":LENGTH}]}"#;
    glb(json, &floats, &joints)
}

#[test]
fn gltf_nodes_targets_and_skins_move_their_vertices() {
    let folder = Folder::new("anim-gltf");
    let file = folder.with("scene.glb", animated());
    let options = AnimationOptions {
        rate_hz: 2.0,
        ..AnimationOptions::default()
    };
    let read = read_animation(&file, &options).unwrap();
    assert_eq!(read.object_names, ["plain", "skinned"]);
    assert_eq!(read.object_of_face, [0, 1]);
    assert_eq!(read.times, [0.0, 0.5, 1.0]);
    let close = |a: DVec3, b: [f64; 3]| a.distance(DVec3::from_array(b)) < 1e-6;
    assert!(close(read.frames[0][1], [1.0, 0.0, 0.0]));
    // Half way up; the weight steps at the end only.
    assert!(
        close(read.frames[1][1], [1.0, 0.0, 1.0]),
        "{:?}",
        read.frames[1]
    );
    assert!(
        close(read.frames[2][1], [2.0, 0.0, 2.0]),
        "{:?}",
        read.frames[2]
    );
    // The last vertex of the skinned triangle goes a quarter around, the others stay.
    let half = 0.5_f64.sqrt();
    assert!(
        close(read.frames[1][5], [-half, half, 0.0]),
        "{:?}",
        read.frames[1]
    );
    assert!(
        close(read.frames[2][5], [-1.0, 0.0, 0.0]),
        "{:?}",
        read.frames[2]
    );
    assert!(close(read.frames[2][4], [1.0, 0.0, 0.0]));
}

#[test]
fn a_rate_beyond_all_bounds_makes_more_frames_than_can_be_read_at_once() {
    let folder = Folder::new("anim-rate");
    let file = folder.with("scene.glb", animated());
    for rate_hz in [1e18, 1e30, f64::MAX] {
        let options = AnimationOptions {
            rate_hz,
            ..AnimationOptions::default()
        };
        let mut reader = open_animation(&file, &options).unwrap();
        let frames = reader.frame_count();
        assert!(frames > 1 << 59, "{frames}");
        assert!(reader.read_frame(frames - 1).is_ok());
        let text = read_animation(&file, &options).unwrap_err().to_string();
        assert!(text.contains("frames"), "{text}");
    }
}

#[test]
fn damaged_animated_gltf_never_panics() {
    let folder = Folder::new("anim-gltf-damage");
    let whole = animated();
    let json_end = 20 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let mut refused = 0;
    // Every digit of the JSON in turn, and numbers of the buffer that are not finite.
    for at in 20..json_end {
        if !whole[at].is_ascii_digit() {
            continue;
        }
        for digit in [b'0', b'9'] {
            let mut bytes = whole.clone();
            bytes[at] = digit;
            let file = folder.with("damaged.glb", &bytes);
            refused += usize::from(read_animation(&file, &AnimationOptions::default()).is_err());
        }
    }
    assert!(refused > 20, "{refused}");
    let mut bytes = whole.clone();
    let times = json_end + 8 + 72;
    bytes[times + 4..times + 8].copy_from_slice(&0_f32.to_le_bytes());
    let text = refusal(&folder.with("damaged.glb", &bytes));
    assert!(text.contains("not after"), "{text}");
    bytes[times + 4..times + 8].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(open(&folder.with("damaged.glb", &bytes)).is_err());
    let pointer = String::from_utf8_lossy(&whole[20..json_end]).contains("rotation");
    assert!(pointer);
    let at = whole.windows(8).position(|w| w == b"rotation").unwrap();
    let mut bytes = whole;
    bytes[at..at + 8].copy_from_slice(b"pointer\"");
    // The quote ends the word early, so that the JSON is damaged too; either way it is refused.
    assert!(open(&folder.with("damaged.glb", &bytes)).is_err());
}

#[test]
fn too_long_a_sequence_is_streamed_instead() {
    let folder = Folder::new("anim-long");
    folder.with("cloth.obj", TRIANGLE);
    let file = folder.with("cloth.pc2", pc2(100, 3));
    let mut options = AnimationOptions::default();
    options.read.max_expanded_bytes = 1000;
    let text = read_animation(&file, &options).unwrap_err().to_string();
    assert!(text.contains("100 frames"), "{text}");
    let mut reader = open_animation(&file, &options).unwrap();
    assert_eq!(reader.read_frame(99).unwrap()[2], point(99, 2));
}

#[test]
fn recorded_sequences_are_read_when_they_are_there() {
    let Some(shared) = recorded::folder(Path::new(env!("CARGO_MANIFEST_DIR"))) else {
        return;
    };
    let elephant = shared.join("libigl-tutorial-data/elephant-anim.dmat");
    if elephant.is_file() {
        let mut reader = open(&elephant).unwrap();
        assert_eq!((reader.frame_count(), reader.vertex_count()), (457, 6034));
        let rest = reader.read_frame(0).unwrap();
        let moved = reader.read_frame(300).unwrap();
        assert!(rest.iter().zip(&moved).any(|(a, b)| a.distance(*b) > 10.0));
        // Bones are rigid and weights sum to one: edges keep their length nearly.
        let lengths = |points: &[DVec3]| -> f64 {
            reader
                .faces()
                .iter()
                .map(|f| points[f[0] as usize].distance(points[f[1] as usize]))
                .sum()
        };
        let ratio = lengths(&moved) / lengths(&rest);
        assert!((0.8..1.2).contains(&ratio), "{ratio}");
    }
    let funnel = shared.join("ccd-scalable-sample/cloth-funnel");
    if funnel.is_dir() {
        let read = read_animation(&funnel, &AnimationOptions::default()).unwrap();
        assert_eq!((read.frames.len(), read.faces.len()), (2, 18_484));
    }
    let cloth = shared.join("ipc-toolkit-tests-data/thick-cloth");
    if cloth.is_dir() {
        assert_eq!(open(&cloth).unwrap().frame_count(), 2);
    }
}
