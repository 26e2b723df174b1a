//! Small valid mesh files of every format, to be read as they are and to be damaged.
//!
//! They are spelled out by hand, not by the writers under test: n-gons, several parts, both byte
//! orders, triangle strips, nested transforms, sparse accessors.

use impinge::io::Format;
use impinge::math::Rng;

use crate::mutate::damaged;

/// A valid file.
#[derive(Clone, Debug)]
pub struct FileSeed {
    /// What is special about it.
    pub name: &'static str,
    /// Its format.
    pub format: Format,
    /// How many triangles it holds.
    pub faces: usize,
    /// How many parts it has.
    pub parts: usize,
    content: Vec<u8>,
    shell: Shell,
}

/// What surrounds the content. Damage inside a shell gets past its checksums and lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    None,
    Gzip,
    /// The main model of a 3MF archive.
    Model,
    /// The JSON of a GLB file with the corners of the unit cube and a quarter of its faces as binary chunk.
    Glb,
}

impl FileSeed {
    /// The bytes of the file.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        self.shell.around(&self.content)
    }

    /// The file with seeded damage, inside or outside of its shell.
    #[must_use]
    pub fn damaged(&self, rng: &mut Rng) -> Vec<u8> {
        if self.shell != Shell::None && rng.below(4) != 0 {
            self.shell.around(&damaged(&self.content, rng))
        } else {
            damaged(&self.file(), rng)
        }
    }
}

impl Shell {
    fn around(self, content: &[u8]) -> Vec<u8> {
        match self {
            Self::None => content.to_vec(),
            Self::Gzip => gzip(content),
            Self::Model => zip(&[
                ("[Content_Types].xml", CONTENT_TYPES.as_bytes()),
                ("_rels/.rels", RELATIONS.as_bytes()),
                ("3D/3dmodel.model", content),
                ("3D/other.model", OTHER_MODEL.as_bytes()),
            ]),
            Self::Glb => glb(content, &cube_buffer()),
        }
    }
}

const CONTENT_TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>"#;
const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Target="/3D/3dmodel.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;
const OTHER_MODEL: &str = r#"<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="9" name="far"><mesh><vertices><vertex x="0" y="0" z="5"/><vertex x="1" y="0" z="5"/><vertex x="0" y="1" z="5"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object></resources><build/></model>"#;

const OBJ_POLYGONS: &str = "# a cube of quads and a pentagon
mtllib none.mtl
o cube
v 0 0 0
v 1 0 0 1.0
v 1 1 0 0.5 0.5 0.5
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vt 0 0
vn 0 0 1
usemtl grey
s off
f 4 3 2 1
f 5/1 6/1 7/1 8/1
f 1//1 2//1 6//1 5//1
f 2/1/1 3/1/1 7/1/1 6/1/1
f -5 -6 -2 \\
  -1
f 4 1 5 8 # last
o roof
v 0 2 0
v 1 2 0
v 1.5 2 1
v 5e-1 2 2.0
v -0.5 2 1
f -5 -4 -3 -2 -1
";

const OBJ_GROUPS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\n\
g left\nf 1 2 3\ng right\nf 1 2 4\ng left\nf 2 3 4\ng right\nf 1 3 4\nl 1 2\np 5\n";

const STL_TEXT: &str = "solid first part
  facet normal 0 0 1
    outer loop
      vertex 0 0 0
      vertex 1 0 0
      vertex 0 1 0
    endloop
  endfacet
  facet normal nan nan nan
    outer loop
      vertex 1e0 0 0
      vertex 1.0 1.0 0.0
      vertex 0 1 0
    endloop
  endfacet
endsolid first part
SOLID second
FACET NORMAL 0 0 1
OUTER LOOP
VERTEX 0 0 2
VERTEX 1 0 2
VERTEX 0 1 2
ENDLOOP
ENDFACET
ENDSOLID
";

const PLY_TEXT: &str = "ply
format ascii 1.0
comment a pyramid
obj_info with colours
element vertex 5
property float x
property float y
property uchar red
property double z
element face 5
property uchar material
property list uchar int vertex_indices
property list uchar float texcoord
element edge 1
property int vertex1
property int vertex2
end_header
0 0 255 0
1 0 255 0
1 1 255 0
0 1 255 0
0.5 0.5 0 1
7 4 3 2 1 0 2 0.5 0.5
7 3 0 1 4 0
7 3 1 2 4 0
7 3 2 3 4 0
7 3 3 0 4 0
0 1
";

const PLY_STRIPS: &str = "ply
format ascii 1.0
element vertex 6
property int x
property int y
property int z
element tristrips 1
property list int int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
1 1 0
0 2 0
1 2 0
10 0 1 2 3 4 5 -1 0 1 3
";

const OFF_PLAIN: &str = "OFF # a cube
# counts
8 6 12

0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
4 3 2 1 0
4 4 5 6 7 255 0 0
4 0 1 5 4
4 1 2 6 5
4 2 3 7 6 0.5 0.5 0.5
4 3 0 4 7
";

const OFF_COLOURS: &str = "STCNOFF 5 2\n\
0 0 0 0 0 1 1 0 0 1 0 0\n1 0 0 0 0 1 1 0 0 1 0 0\n2 1 0 0 0 1 1 0 0 1 0 0\n1 2 0 0 0 1 1 0 0 1 0 0\n0 1 0 0 0 1 1 0 0 1 0 0\n\
5 0 1 2 3 4 7\n3 0 2 4 7\n";

const MODEL_ITEMS: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xml:lang="en" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p">
 <metadata name="Title">two wedges &amp; more</metadata>
 <resources>
  <basematerials id="7"><base name="a" displaycolor="#FF0000"/></basematerials>
  <object id="1" type="model" name="wedge &quot;A&quot;">
   <mesh>
    <vertices>
     <vertex x="0" y="0" z="0"/>
     <vertex x="1" y="0" z="0"/>
     <vertex x="0" y="1" z="0"/>
     <vertex x="0" y="0" z="1e0"/>
    </vertices>
    <triangles>
     <triangle v1="0" v2="2" v3="1"/>
     <triangle v1="0" v2="1" v3="3" pid="7" p1="0"/>
     <triangle v1="1" v2="2" v3="3"/>
     <triangle v1="2" v2="0" v3="3"/>
    </triangles>
   </mesh>
  </object>
  <object id="2" type="model">
   <components>
    <component objectid="1"/>
    <component objectid="1" transform="-1 0 0 0 1 0 0 0 1 5 0 0"/>
    <component objectid="9" p:path="/3D/other.model"/>
   </components>
  </object>
 </resources>
 <build>
  <item objectid="2" transform="1 0 0 0 1 0 0 0 1 10 20 30"/>
  <item objectid="1"/>
 </build>
</model>
"##;

/// Cube corners as f32, then two faces of the cube as u16 corners: 96 + 24 bytes.
fn cube_buffer() -> Vec<u8> {
    let mut out = Vec::new();
    for corner in 0..8u8 {
        for axis in 0..3 {
            let x = f32::from((corner >> axis) & 1);
            out.extend_from_slice(&x.to_le_bytes());
        }
    }
    for v in [0u16, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6] {
        out.extend_from_slice(&v.to_le_bytes());
    }
    out
}

const GLTF_NODES: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"name":"root","children":[1,2,3],"translation":[0,0,1.5]},
{"name":"plain","mesh":0,"rotation":[0,0,0.70710678,0.70710678],"scale":[2,2,2]},
{"mesh":1,"matrix":[-1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]},
{"mesh":2,"camera":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"indices":1,"mode":1}]},
{"name":"strip","primitives":[{"attributes":{"POSITION":0,"NORMAL":0},"mode":5}]},
{"name":"sparse fan","primitives":[{"attributes":{"POSITION":2},"mode":6,"material":3}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"},
{"componentType":5126,"count":6,"type":"VEC3","sparse":{"count":4,"indices":{"bufferView":1,"byteOffset":8,"componentType":5123},"values":{"bufferView":0,"byteOffset":12}}}],
"bufferViews":[{"buffer":0,"byteLength":96,"byteStride":12},{"buffer":0,"byteOffset":96,"byteLength":24}],
"buffers":[{"byteLength":120BUFFER}]}"#;

/// Every seed.
#[must_use]
pub fn file_seeds() -> Vec<FileSeed> {
    let seed = |name, format, faces, parts, content: Vec<u8>, shell| FileSeed {
        name,
        format,
        faces,
        parts,
        content,
        shell,
    };
    let plain = |name, format, faces, parts, content| {
        seed(name, format, faces, parts, content, Shell::None)
    };
    let text = |name, format, faces, parts, content: &str| {
        plain(name, format, faces, parts, content.into())
    };
    let glb_json = GLTF_NODES.replace("BUFFER", "");
    let inline = format!(
        ",\"uri\":\"data:application/octet-stream;base64,{}\"",
        base64(&cube_buffer())
    );
    let gltf_json = GLTF_NODES.replace("BUFFER", &inline);
    let quantised = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_mesh_quantization"],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[{"bufferView":0,"byteOffset":96,"componentType":5121,"normalized":true,"count":6,"type":"VEC3"},{"bufferView":0,"byteOffset":98,"componentType":5121,"count":3,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":120,"byteStride":4}],"buffers":[{"byteLength":120}]}"#;
    vec![
        text("polygons", Format::Obj, 15, 2, OBJ_POLYGONS),
        text("interleaved groups", Format::Obj, 4, 2, OBJ_GROUPS),
        seed("gzip", Format::Obj, 4, 2, OBJ_GROUPS.into(), Shell::Gzip),
        text("text", Format::Stl, 3, 2, STL_TEXT),
        plain("binary", Format::Stl, 6, 1, binary_stl(b"part", 6)),
        plain(
            "binary that says solid",
            Format::Stl,
            4,
            1,
            binary_stl(b"solid binary", 4),
        ),
        text("text", Format::Ply, 6, 1, PLY_TEXT),
        text("strips", Format::Ply, 5, 1, PLY_STRIPS),
        plain("little endian", Format::Ply, 6, 1, binary_ply(false)),
        plain("big endian", Format::Ply, 6, 1, binary_ply(true)),
        plain("binary strips", Format::Ply, 5, 1, binary_strips()),
        text("plain", Format::Off, 12, 1, OFF_PLAIN),
        text("colours", Format::Off, 4, 1, OFF_COLOURS),
        seed(
            "items",
            Format::ThreeMf,
            13,
            4,
            MODEL_ITEMS.into(),
            Shell::Model,
        ),
        text("inline buffer", Format::Gltf, 14, 3, &gltf_json),
        seed("nodes", Format::Glb, 14, 3, glb_json.into(), Shell::Glb),
        seed("quantised", Format::Glb, 1, 1, quantised.into(), Shell::Glb),
    ]
}

fn binary_stl(header: &[u8], faces: u32) -> Vec<u8> {
    let mut out = header.to_vec();
    out.resize(80, 0);
    out.extend_from_slice(&faces.to_le_bytes());
    for face in 0..faces {
        for i in 0..12u32 {
            let x = ((face * 12 + i) % 7) as f32 * 0.25;
            out.extend_from_slice(&x.to_le_bytes());
        }
        out.extend_from_slice(&[0, 0]);
    }
    out
}

/// A pyramid on a square, with a list in front of the vertices' element and doubles.
fn binary_ply(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut out = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement junk 2\nproperty list uchar short numbers\nelement vertex 5\nproperty double x\nproperty uchar c\nproperty float y\nproperty short z\nelement face 5\nproperty list uchar uint vertex_index\nproperty float quality\nend_header\n"
    )
    .into_bytes();
    let push = |out: &mut Vec<u8>, mut bytes: Vec<u8>| {
        if big {
            bytes.reverse();
        }
        out.extend_from_slice(&bytes);
    };
    for row in [&[1i16, 2][..], &[]] {
        out.push(row.len() as u8);
        for n in row {
            push(&mut out, n.to_le_bytes().to_vec());
        }
    }
    let points = [
        (0.0, 0.0, 0),
        (1.0, 0.0, 0),
        (1.0, 1.0, 0),
        (0.0, 1.0, 0),
        (0.1, 0.5, 3),
    ];
    for (x, y, z) in points {
        push(&mut out, f64::to_le_bytes(x).to_vec());
        out.push(200);
        push(&mut out, f32::to_le_bytes(y).to_vec());
        push(&mut out, i16::to_le_bytes(z).to_vec());
    }
    for face in [
        &[3u32, 2, 1, 0][..],
        &[0, 1, 4],
        &[1, 2, 4],
        &[2, 3, 4],
        &[3, 0, 4],
    ] {
        out.push(face.len() as u8);
        for v in face {
            push(&mut out, v.to_le_bytes().to_vec());
        }
        push(&mut out, 0.5f32.to_le_bytes().to_vec());
    }
    out
}

fn binary_strips() -> Vec<u8> {
    let mut out = b"ply\nformat binary_little_endian 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n".to_vec();
    for v in 0..6u8 {
        for x in [f32::from(v % 2), f32::from(v / 2), 0.0] {
            out.extend_from_slice(&x.to_le_bytes());
        }
    }
    let strip = [0i32, 1, 2, 3, 4, 5, -1, 0, 1, 3];
    out.extend_from_slice(&(strip.len() as u32).to_le_bytes());
    for v in strip {
        out.extend_from_slice(&v.to_le_bytes());
    }
    out
}

/// A GLB file with this JSON and this binary chunk, lengths and padding right.
#[must_use]
pub fn glb(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let mut json = json.to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut out = b"glTF\x02\0\0\0".to_vec();
    let total = 12 + 8 + json.len() + 8 + binary.len();
    out.extend_from_slice(&(total as u32).to_le_bytes());
    out.extend_from_slice(&(json.len() as u32).to_le_bytes());
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(&json);
    out.extend_from_slice(&(binary.len() as u32).to_le_bytes());
    out.extend_from_slice(b"BIN\0");
    out.extend_from_slice(&binary);
    out
}

/// A 3MF archive with this main model.
#[must_use]
pub fn three_mf(model: &[u8]) -> Vec<u8> {
    Shell::Model.around(model)
}

/// A zip archive with these files, stored without compression.
#[must_use]
pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in files {
        let offset = out.len() as u32;
        // Version 2.0, no flags, stored, 1 January 1980.
        let mut entry = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        entry.extend_from_slice(&crc32(content).to_le_bytes());
        entry.extend_from_slice(&(content.len() as u32).to_le_bytes());
        entry.extend_from_slice(&(content.len() as u32).to_le_bytes());
        entry.extend_from_slice(&(name.len() as u16).to_le_bytes());
        entry.extend_from_slice(&[0, 0]);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&entry);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(content);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&entry);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let start = out.len() as u32;
    let count = files.len() as u16;
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0, 0]);
    out
}

/// A gzip file of stored blocks.
#[must_use]
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut chunks = content.chunks(0xFFFF).peekable();
    if chunks.peek().is_none() {
        out.extend_from_slice(&[1, 0, 0, 0xFF, 0xFF]);
    }
    while let Some(chunk) = chunks.next() {
        let length = chunk.len() as u16;
        out.push(u8::from(chunks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(chunk);
    }
    out.extend_from_slice(&crc32(content).to_le_bytes());
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &b in bytes {
        crc ^= u32::from(b);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// The text of bytes in base64, with padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let mut bits = 0u32;
        for i in 0..3 {
            bits = bits << 8 | u32::from(group.get(i).copied().unwrap_or(0));
        }
        for i in 0..4 {
            if i <= group.len() {
                out.push(char::from(LETTERS[(bits >> (18 - 6 * i) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}
