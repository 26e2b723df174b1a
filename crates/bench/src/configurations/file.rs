//! Files of configurations: written block by block, each block compressed and checksummed.
//!
//! ```text
//! magic 8, version u32, length of the header u32, header as JSON, CRC-32 of all that
//! per block: "BLCK", number u32, configurations u32, bytes u32, CRC-32 of these 12 bytes and of what follows, bytes (zlib)
//! "TAIL", blocks u32, configurations u64, CRC-32 of these 12 bytes and of every block's checksum
//! ```
//!
//! Numbers are little-endian. A block holds what one orientation of B gave. Within a block the first bytes of all configurations come first,
//! then their second bytes, and so on: equal bytes are then neighbours, and zlib finds them.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use impinge::{DVec3, TriMesh};

use super::pairs::Meshes;
use super::sampling::{Kind, Method, Sampling};

const MAGIC: [u8; 8] = *b"impconf\n";
/// The format. A file with another number is refused.
const VERSION: u32 = 1;
const BLOCK: [u8; 4] = *b"BLCK";
const TAIL: [u8; 4] = *b"TAIL";
/// Bytes of a configuration.
const WIDTH: usize = 18;
/// More than this in one block or header is no file of ours.
const MOST_BYTES: u32 = 1 << 30;
/// The same for configurations: none of our samplings comes near it.
const MOST_RECORDS: u32 = 1 << 25;

/// One placement of B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Configuration {
    /// The number of the target.
    pub(crate) level: u8,
    pub(crate) way: FoundBy,
    /// B's centre minus A's.
    place: [f32; 3],
    /// The distance or volume that is really there, as a part of the unit.
    pub(crate) achieved: f32,
}

/// How a configuration was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundBy {
    /// On its line, or moved within its cell.
    Line,
    /// The line passes A without coming near enough; from its nearest place straight towards A.
    Shortest,
    /// The line never shares enough; from its best place along the volume's gradient.
    Ascent,
    /// Nothing was found, and the placement means nothing.
    Unreached,
}

impl FoundBy {
    pub(crate) const ALL: [Self; 4] = [Self::Line, Self::Shortest, Self::Ascent, Self::Unreached];
}

impl Configuration {
    /// `offset` must be a place that a file can hold.
    pub(super) fn new(level: usize, way: FoundBy, offset: DVec3, achieved: f64) -> Self {
        Self {
            level: level as u8,
            way,
            place: offset.to_array().map(|x| x as f32),
            achieved: achieved as f32,
        }
    }

    /// B's centre minus A's.
    pub(crate) fn offset(&self) -> DVec3 {
        DVec3::from_array(self.place.map(f64::from))
    }

    fn bytes(&self) -> [u8; WIDTH] {
        let mut bytes = [0; WIDTH];
        let way = FoundBy::ALL.iter().position(|way| *way == self.way);
        bytes[0] = self.level;
        bytes[1] = way.unwrap_or_default() as u8;
        let numbers = self.place.into_iter().chain([self.achieved]);
        for (place, x) in bytes[2..].chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&x.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; WIDTH]) -> Option<Self> {
        let number = |k: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[2 + 4 * k..6 + 4 * k]);
            f32::from_le_bytes(word)
        };
        let found = Self {
            level: bytes[0],
            way: *FoundBy::ALL.get(usize::from(bytes[1]))?,
            place: [0, 1, 2].map(number),
            achieved: number(3),
        };
        let is_finite = found.place.iter().all(|x| x.is_finite()) && found.achieved.is_finite();
        is_finite.then_some(found)
    }
}

/// What a file says about itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Header {
    pub(crate) pair: String,
    pub(crate) class: String,
    pub(crate) preset: String,
    pub(crate) kind: Kind,
    /// `sphere` or `grid`.
    pub(crate) method: String,
    /// Degrees between directions, or cells along each axis.
    pub(crate) places: usize,
    pub(crate) orientation_step: usize,
    pub(crate) stride: usize,
    /// Targets as parts of the unit.
    pub(crate) levels: Vec<f64>,
    /// How far from its target a configuration may be, as a part of the unit.
    pub(crate) tolerance: f64,
    /// What the unit is, in words.
    pub(crate) unit: String,
    pub(crate) blocks: usize,
    pub(crate) meshes: [MeshMark; 2],
}

/// By what a mesh is known again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct MeshMark {
    pub(crate) vertices: usize,
    pub(crate) faces: usize,
    /// CRC-32 of all coordinates and of all vertex numbers, in order.
    pub(crate) checksum: String,
}

impl MeshMark {
    pub(crate) fn of(mesh: &TriMesh) -> Self {
        let mut crc = Crc::new();
        for p in mesh.positions() {
            for x in p.to_array() {
                crc.update(&x.to_le_bytes());
            }
        }
        let positions = crc.sum();
        crc.reset();
        for corner in mesh.faces().iter().flatten() {
            crc.update(&corner.to_le_bytes());
        }
        Self {
            vertices: mesh.vertex_count(),
            faces: mesh.face_count(),
            checksum: format!("{positions:08x}{:08x}", crc.sum()),
        }
    }
}

impl Header {
    /// Whether these are the meshes that the file was made for.
    pub(crate) fn is_about(&self, meshes: &Meshes) -> bool {
        self.meshes == [MeshMark::of(&meshes.a), MeshMark::of(&meshes.b)]
    }

    pub(crate) fn sampling(&self) -> Sampling {
        let method = match self.method.as_str() {
            "grid" => Method::Grid { cells: self.places },
            _ => Method::Sphere {
                direction_step: self.places,
            },
        };
        Sampling {
            method,
            orientation_step: self.orientation_step,
            stride: self.stride,
        }
    }

    fn is_sound(&self) -> bool {
        let divides = |step: usize| step > 0 && step <= 90 && 180 % step == 0;
        let places = match self.method.as_str() {
            "grid" => (1..=1024).contains(&self.places),
            "sphere" => divides(self.places),
            _ => false,
        };
        places
            && divides(self.orientation_step)
            && self.stride > 0
            && self.blocks == self.sampling().orientations()
            && (1..=255).contains(&self.levels.len())
    }

    /// The beginning of a file.
    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let json = serde_json::to_vec(self)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(json);
        bytes.extend(checksum(&[&bytes]).to_le_bytes());
        Ok(bytes)
    }
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut crc = Crc::new();
    for part in parts {
        crc.update(part);
    }
    crc.sum()
}

/// A block as it stands in the file.
pub(super) fn encode(number: usize, found: &[Configuration]) -> anyhow::Result<Vec<u8>> {
    let rows: Vec<[u8; WIDTH]> = found.iter().map(Configuration::bytes).collect();
    let columns: Vec<u8> = (0..WIDTH)
        .flat_map(|k| rows.iter().map(move |row| row[k]))
        .collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&columns)?;
    let packed = encoder.finish()?;
    let mut head = Vec::new();
    for x in [number, found.len(), packed.len()] {
        head.extend(u32::try_from(x)?.to_le_bytes());
    }
    let mut bytes = BLOCK.to_vec();
    bytes.extend(&head);
    bytes.extend(checksum(&[&head, &packed]).to_le_bytes());
    bytes.extend(packed);
    Ok(bytes)
}

/// Reads a file from its beginning to its end, and trusts nothing in it.
pub(crate) struct Reader {
    file: BufReader<File>,
    path: PathBuf,
    pub(crate) header: Header,
    /// Blocks read.
    blocks: usize,
    records: u64,
    /// Of the checksums of all blocks so far.
    sums: Vec<u8>,
    is_over: bool,
}

impl Reader {
    /// # Errors
    /// A file that is none of ours, of another version, or damaged.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut file = BufReader::new(file);
        let header = read_header(&mut file).with_context(|| path.display().to_string())?;
        Ok(Self {
            file,
            path: path.to_owned(),
            header,
            blocks: 0,
            records: 0,
            sums: Vec::new(),
            is_over: false,
        })
    }

    /// The next block; none at the end of a whole file.
    ///
    /// # Errors
    /// Damage, with the number of the block it is in.
    pub(crate) fn next_block(&mut self) -> anyhow::Result<Option<Vec<Configuration>>> {
        let number = self.blocks;
        self.read_block().with_context(|| {
            format!(
                "{}: block {number} of {}",
                self.path.display(),
                self.header.blocks
            )
        })
    }

    fn read_block(&mut self) -> anyhow::Result<Option<Vec<Configuration>>> {
        if self.is_over {
            return Ok(None);
        }
        let tag: [u8; 4] = self.array().context("the file ends too early")?;
        if tag == TAIL {
            self.read_tail().context("the end")?;
            self.is_over = true;
            return Ok(None);
        }
        ensure!(tag == BLOCK, "no block begins here");
        let head: [u8; 12] = self.array().context("the file ends too early")?;
        let [number, count, length] = [0, 4, 8].map(|k| word(&head[k..]));
        let sum = u32::from_le_bytes(self.array().context("the file ends too early")?);
        ensure!(
            length <= MOST_BYTES && count <= MOST_RECORDS,
            "its length is impossible"
        );
        let mut packed = Vec::new();
        let wanted = u64::from(length);
        let read = Read::by_ref(&mut self.file)
            .take(wanted)
            .read_to_end(&mut packed)?;
        ensure!(read as u64 == wanted, "the file ends too early");
        ensure!(
            checksum(&[&head, &packed]) == sum,
            "its checksum differs: the file is damaged"
        );
        ensure!(
            number as usize == self.blocks && self.blocks < self.header.blocks,
            "found block {number} in its place"
        );
        let found = decode(&packed, count as usize, self.header.levels.len())?;
        self.blocks += 1;
        self.records += u64::from(count);
        self.sums.extend(sum.to_le_bytes());
        Ok(Some(found))
    }

    fn read_tail(&mut self) -> anyhow::Result<()> {
        let head: [u8; 12] = self.array().context("the file ends too early")?;
        let sum = u32::from_le_bytes(self.array().context("the file ends too early")?);
        ensure!(
            checksum(&[&head, &self.sums]) == sum,
            "its checksum differs: the file is damaged"
        );
        let mut records = [0; 8];
        records.copy_from_slice(&head[4..]);
        ensure!(
            word(&head) as usize == self.header.blocks
                && self.blocks == self.header.blocks
                && u64::from_le_bytes(records) == self.records,
            "blocks are missing"
        );
        let mut more = [0];
        ensure!(self.file.read(&mut more)? == 0, "bytes follow it");
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[..4]);
    u32::from_le_bytes(word)
}

fn read_header(file: &mut impl Read) -> anyhow::Result<Header> {
    let mut head = [0; 16];
    file.read_exact(&mut head)
        .context("no file of configurations")?;
    ensure!(head[..8] == MAGIC, "no file of configurations");
    let (version, length) = (word(&head[8..]), word(&head[12..]));
    ensure!(
        version == VERSION,
        "its format is {version}, this program reads {VERSION}"
    );
    ensure!(length <= MOST_BYTES, "the header's length is impossible");
    let mut json = Vec::new();
    let read = file.take(u64::from(length)).read_to_end(&mut json)?;
    ensure!(
        read as u64 == u64::from(length),
        "the header ends too early"
    );
    let mut sum = [0; 4];
    file.read_exact(&mut sum)
        .context("the header ends too early")?;
    ensure!(
        checksum(&[&head, &json]) == u32::from_le_bytes(sum),
        "the header's checksum differs: the file is damaged"
    );
    let header: Header = serde_json::from_slice(&json).context("the header makes no sense")?;
    ensure!(header.is_sound(), "the header makes no sense");
    Ok(header)
}

fn decode(packed: &[u8], count: usize, levels: usize) -> anyhow::Result<Vec<Configuration>> {
    let length = count * WIDTH;
    let mut columns = Vec::new();
    ZlibDecoder::new(packed)
        .take(length as u64 + 1)
        .read_to_end(&mut columns)
        .context("it cannot be decompressed")?;
    ensure!(
        columns.len() == length,
        "it has another length than it says"
    );
    let row = |i: usize| {
        let bytes = std::array::from_fn(|k| columns[k * count + i]);
        Configuration::from_bytes(&bytes)
            .filter(|c| usize::from(c.level) < levels)
            .with_context(|| format!("configuration {i} makes no sense"))
    };
    (0..count).map(row).collect()
}

/// A file in the making: it has another name until it is whole.
pub(super) struct Writer {
    file: File,
    path: PathBuf,
    unfinished: PathBuf,
    pub(super) blocks: usize,
    pub(super) records: u64,
    all: usize,
    sums: Vec<u8>,
}

impl Writer {
    /// Begins a file; with `resume`, goes on behind the last whole block of an unfinished one with the same header.
    pub(super) fn begin(path: &Path, header: &Header, resume: bool) -> anyhow::Result<Self> {
        let unfinished = unfinished(path);
        let begun = if resume && unfinished.is_file() {
            match whole_blocks(&unfinished, header) {
                Ok(begun) => Some(begun),
                Err(error) => {
                    eprintln!("{} is begun anew: {error:#}", path.display());
                    None
                }
            }
        } else {
            None
        };
        let bytes = header.bytes()?;
        let mut writer = Self {
            file: File::options()
                .create(true)
                .write(true)
                .truncate(false)
                .open(&unfinished)
                .with_context(|| format!("cannot write {}", unfinished.display()))?,
            path: path.to_owned(),
            unfinished,
            blocks: 0,
            records: 0,
            all: header.blocks,
            sums: Vec::new(),
        };
        writer
            .start(begun, &bytes)
            .with_context(|| format!("cannot write {}", writer.unfinished.display()))?;
        Ok(writer)
    }

    /// Drops what cannot be kept, and puts the header where nothing can.
    fn start(&mut self, begun: Option<UnfinishedFile>, header: &[u8]) -> std::io::Result<()> {
        let Some(begun) = begun else {
            self.file.set_len(0)?;
            return self.file.write_all(header);
        };
        self.file.set_len(begun.length)?;
        self.file.seek(std::io::SeekFrom::End(0))?;
        self.blocks = begun.blocks;
        self.records = begun.records;
        self.sums = begun.sums;
        Ok(())
    }

    /// Adds the next block, as [`encode`] gave it.
    pub(super) fn push(&mut self, block: &[u8], records: usize) -> anyhow::Result<()> {
        self.file
            .write_all(block)
            .with_context(|| format!("cannot write {}", self.unfinished.display()))?;
        self.sums.extend_from_slice(&block[16..20]);
        self.blocks += 1;
        self.records += records as u64;
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        ensure!(self.blocks == self.all, "blocks are missing");
        let mut head = u32::try_from(self.blocks)?.to_le_bytes().to_vec();
        head.extend(self.records.to_le_bytes());
        let sum = checksum(&[&head, &self.sums]);
        let tail = [&TAIL[..], &head, &sum.to_le_bytes()].concat();
        self.file
            .write_all(&tail)
            .and_then(|()| self.file.sync_all())
            .with_context(|| format!("cannot write {}", self.unfinished.display()))?;
        std::fs::rename(&self.unfinished, &self.path)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The name of a file that is not whole yet.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("part")
}

/// What of an unfinished file can be kept.
struct UnfinishedFile {
    length: u64,
    blocks: usize,
    records: u64,
    sums: Vec<u8>,
}

fn whole_blocks(path: &Path, header: &Header) -> anyhow::Result<UnfinishedFile> {
    let expected = header.bytes()?;
    let mut reader = Reader::open(path)?;
    let named = || format!("cannot read {}", path.display());
    let mut begin = vec![0; expected.len()];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut begin))
        .with_context(named)?;
    if begin != expected {
        bail!("the unfinished file was begun with other settings");
    }
    let mut length = reader.file.stream_position().with_context(named)?;
    // The first block that is not whole ends what can be kept; so does the end of a file that only lacks its name.
    let mut begun = (0, 0, 0);
    while let Ok(Some(_)) = reader.read_block() {
        length = reader.file.stream_position().with_context(named)?;
        begun = (reader.blocks, reader.records, reader.sums.len());
    }
    reader.sums.truncate(begun.2);
    Ok(UnfinishedFile {
        length,
        blocks: begun.0,
        records: begun.1,
        sums: reader.sums,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reads_back() {
        let found: Vec<Configuration> = (0..100)
            .map(|k| {
                let offset = DVec3::new(f64::from(k), -0.5, 3.25);
                Configuration::new(k as usize % 31, FoundBy::ALL[k as usize % 4], offset, 0.125)
            })
            .collect();
        let block = encode(7, &found).unwrap();
        assert_eq!(decode(&block[20..], 100, 31).unwrap(), found);
        assert!(decode(&block[20..], 99, 31).is_err());
        assert!(decode(&block[20..], 100, 30).is_err());
    }
}
