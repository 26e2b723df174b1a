//! The parts of the JSON document that say where geometry is.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::super::error::ReadError;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    asset: Asset,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(super) meshes: Vec<GltfMesh>,
    #[serde(default)]
    pub(super) nodes: Vec<GltfNode>,
    #[serde(default)]
    pub(super) scenes: Vec<GltfScene>,
    pub(super) scene: Option<u32>,
    #[serde(default)]
    extensions_required: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Asset {
    version: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: AccessorType,
    pub(super) sparse: Option<Box<Sparse>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum AccessorType {
    #[serde(rename = "SCALAR")]
    Scalar,
    #[serde(rename = "VEC3")]
    Vec3,
    #[serde(rename = "VEC4")]
    Vec4,
    #[serde(rename = "MAT4")]
    Mat4,
    #[serde(other)]
    Other,
}

impl AccessorType {
    /// How many numbers an item has.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Scalar | Self::Other => 1,
            Self::Vec3 => 3,
            Self::Vec4 => 4,
            Self::Mat4 => 16,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: ViewExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    pub(super) ext_meshopt: Option<IgnoredAny>,
    #[serde(rename = "KHR_meshopt_compression")]
    pub(super) khr_meshopt: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<Box<str>>,
    pub(super) byte_length: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfMesh {
    pub(super) name: Option<Box<str>>,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<u32>,
    #[serde(default = "Primitive::triangles")]
    pub(super) mode: u32,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

impl Primitive {
    fn triangles() -> u32 {
        4
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
}

/// Boxes keep it small: a file can declare a node with two bytes.
#[derive(Debug, Deserialize)]
pub(super) struct GltfNode {
    pub(super) name: Option<Box<str>>,
    pub(super) mesh: Option<u32>,
    #[serde(default)]
    pub(super) children: Box<[u32]>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<Box<[f64; 3]>>,
    pub(super) rotation: Option<Box<[f64; 4]>>,
    pub(super) scale: Option<Box<[f64; 3]>>,
    pub(super) skin: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfScene {
    #[serde(default)]
    pub(super) nodes: Vec<u32>,
}

/// Extensions that may be required and do not change where faces are.
const HARMLESS: [&str; 9] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_animation_",
    "KHR_node_visibility",
];

/// The document, if its version and required extensions are ones we can read.
pub(super) fn parse(json: &[u8]) -> Result<Document, ReadError> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let document: Document = serde_json::from_slice(json)
        .map_err(|e| ReadError::malformed(format!("the JSON document: {e}")))?;
    if !document.asset.version.starts_with("2.") {
        return Err(ReadError::unsupported(format!(
            "glTF version {} is not read, only 2.0; export the file again with a current program",
            super::super::text::shown(document.asset.version.as_bytes())
        )));
    }
    for name in &document.extensions_required {
        if !HARMLESS.iter().any(|known| name.starts_with(known)) {
            return Err(ReadError::unsupported(format!(
                "the file requires the extension {}, which is not read; export it without (gltf-transform and gltfpack can remove compression)",
                super::super::text::shown(name.as_bytes())
            )));
        }
    }
    Ok(document)
}
