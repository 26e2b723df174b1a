//! Typed views of buffers, every bound checked before it is used.

use glam::DVec3;

use super::super::byte_cursor::fixed;
use super::super::error::{FilePlace, ReadError};
use super::super::text;
use super::buffer::Buffers;
use super::document::{Accessor, AccessorType, Document};

/// A number type, by the code that glTF gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u32) -> Result<Self, ReadError> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => {
                return Err(ReadError::malformed(format!(
                    "component type {code} does not exist"
                )));
            }
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn float(self, bytes: &[u8], at: usize, normalized: bool) -> f64 {
        let (value, largest) = match self {
            Self::I8 => (f64::from(i8::from_le_bytes(fixed(bytes, at))), 127.0),
            Self::U8 => (f64::from(u8::from_le_bytes(fixed(bytes, at))), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes(fixed(bytes, at))), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes(fixed(bytes, at))), 65535.0),
            Self::U32 => (f64::from(u32::from_le_bytes(fixed(bytes, at))), 1.0),
            Self::F32 => (f64::from(f32::from_le_bytes(fixed(bytes, at))), 1.0),
        };
        if normalized && !matches!(self, Self::U32 | Self::F32) {
            (value / largest).max(-1.0)
        } else {
            value
        }
    }

    fn index(self, bytes: &[u8], at: usize) -> Option<u32> {
        match self {
            Self::U8 => Some(u32::from(u8::from_le_bytes(fixed(bytes, at)))),
            Self::U16 => Some(u32::from(u16::from_le_bytes(fixed(bytes, at)))),
            Self::U32 => Some(u32::from_le_bytes(fixed(bytes, at))),
            _ => None,
        }
    }
}

pub(super) fn get(document: &Document, accessor: u32) -> Result<&Accessor, ReadError> {
    document.accessors.get(accessor as usize).ok_or_else(|| {
        ReadError::malformed(format!(
            "accessor {accessor} does not exist: there are {}",
            document.accessors.len()
        ))
    })
}

/// A run of equally spaced items inside a view.
struct StridedRun<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

/// The items from `offset` on, if all of them lie inside the view.
fn run<'a>(
    buffers: &'a mut Buffers<'_>,
    document: &Document,
    view: u32,
    offset: u64,
    count: u64,
    item: usize,
) -> Result<StridedRun<'a>, ReadError> {
    let stride = document
        .buffer_views
        .get(view as usize)
        .and_then(|v| v.byte_stride)
        .unwrap_or(item as u64);
    let bytes = buffers.view(document, view)?;
    let end = count
        .saturating_sub(1)
        .checked_mul(stride)
        .and_then(|n| n.checked_add(offset))
        .and_then(|n| n.checked_add(if count == 0 { 0 } else { item as u64 }));
    let fits = stride >= item as u64 && end.is_some_and(|end| end <= bytes.len() as u64);
    let start = usize::try_from(offset).ok().and_then(|o| bytes.get(o..));
    match (fits, start) {
        (true, Some(bytes)) => Ok(StridedRun {
            bytes,
            stride: stride as usize,
            count: count as usize,
        }),
        _ => Err(ReadError::malformed(format!(
            "{count} items of {item} bytes, {stride} bytes apart, from byte {offset} do not fit into buffer view {view} of {} bytes",
            bytes.len()
        ))),
    }
}

/// The items of an accessor, each of this many bytes.
fn items<'a>(
    document: &Document,
    buffers: &'a mut Buffers<'_>,
    accessor: &Accessor,
    view: u32,
    item: usize,
) -> Result<StridedRun<'a>, ReadError> {
    let (offset, count) = (accessor.byte_offset, accessor.count);
    run(buffers, document, view, offset, count, item)
}

/// The positions of an accessor.
pub(super) fn positions(
    document: &Document,
    buffers: &mut Buffers<'_>,
    index: u32,
) -> Result<Vec<DVec3>, ReadError> {
    let accessor = get(document, index)?;
    if accessor.shape != AccessorType::Vec3 {
        return Err(ReadError::malformed(format!(
            "accessor {index} is used for positions, but its type is not VEC3"
        )));
    }
    let component = Component::from_code(accessor.component_type)?;
    let item = component.size() * 3;
    let decode = |run: &StridedRun<'_>, at: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            component.float(
                run.bytes,
                at * run.stride + axis * component.size(),
                accessor.normalized,
            )
        });
        DVec3::new(x, y, z)
    };
    let mut out = match (accessor.buffer_view, &accessor.sparse) {
        (Some(view), _) => {
            let run = items(document, buffers, accessor, view, item)?;
            (0..run.count).map(|at| decode(&run, at)).collect()
        }
        // The caller has charged the count to the allowance.
        (None, Some(_)) => vec![DVec3::ZERO; usize::try_from(accessor.count).unwrap_or(0)],
        (None, None) => {
            return Err(ReadError::malformed(format!(
                "accessor {index} has no buffer view"
            )));
        }
    };
    if let Some(sparse) = &accessor.sparse {
        let indices = &sparse.indices;
        let places = {
            let kind = Component::from_code(indices.component_type)?;
            let run = run(
                buffers,
                document,
                indices.buffer_view,
                indices.byte_offset,
                sparse.count,
                kind.size(),
            )?;
            (0..run.count)
                .map(|at| kind.index(run.bytes, at * run.stride))
                .collect::<Option<Vec<u32>>>()
        };
        let Some(places) = places else {
            return Err(ReadError::malformed(format!(
                "the sparse indices of accessor {index} are not of a whole number type"
            )));
        };
        let values = &sparse.values;
        let run = run(
            buffers,
            document,
            values.buffer_view,
            values.byte_offset,
            sparse.count,
            item,
        )?;
        for (at, place) in places.into_iter().enumerate() {
            let Some(slot) = out.get_mut(place as usize) else {
                return Err(ReadError::malformed(format!(
                    "accessor {index} replaces item {place} of {}",
                    accessor.count
                )));
            };
            *slot = decode(&run, at);
        }
    }
    for (vertex, &p) in out.iter().enumerate() {
        text::checked(p, vertex, FilePlace::Whole)?;
    }
    Ok(out)
}

/// The numbers of an accessor of this shape, item after item.
pub(super) fn numbers(
    document: &Document,
    buffers: &mut Buffers<'_>,
    index: u32,
    shape: AccessorType,
) -> Result<Vec<f64>, ReadError> {
    let accessor = get(document, index)?;
    if accessor.shape != shape {
        return Err(ReadError::malformed(format!(
            "accessor {index} has another type than what uses it needs ({shape:?})"
        )));
    }
    let (Some(view), None) = (accessor.buffer_view, &accessor.sparse) else {
        return Err(ReadError::unsupported(format!(
            "accessor {index} is sparse or has no buffer view; in animation and skins that is not read"
        )));
    };
    let component = Component::from_code(accessor.component_type)?;
    let item = component.size() * shape.width();
    let run = items(document, buffers, accessor, view, item)?;
    let mut out = Vec::with_capacity(run.count * shape.width());
    for at in 0..run.count {
        for part in 0..shape.width() {
            let place = at * run.stride + part * component.size();
            out.push(component.float(run.bytes, place, accessor.normalized));
        }
    }
    Ok(out)
}

/// The vertex numbers of an accessor.
pub(super) fn indices(
    document: &Document,
    buffers: &mut Buffers<'_>,
    index: u32,
) -> Result<Vec<u32>, ReadError> {
    let accessor = get(document, index)?;
    let component = Component::from_code(accessor.component_type)?;
    let whole = matches!(component, Component::U8 | Component::U16 | Component::U32);
    let (Some(view), AccessorType::Scalar, true, None) = (
        accessor.buffer_view,
        accessor.shape,
        whole,
        &accessor.sparse,
    ) else {
        return Err(ReadError::malformed(format!(
            "accessor {index} is used for indices, so it must be dense, SCALAR, of an unsigned whole number type, and have a buffer view"
        )));
    };
    let run = items(document, buffers, accessor, view, component.size())?;
    Ok((0..run.count)
        .map_while(|at| component.index(run.bytes, at * run.stride))
        .collect())
}
