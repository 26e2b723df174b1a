//! Packed laser scans: packed with the crate's own compressor and read back; cut, damaged and made to lie.
#![expect(
    unsafe_code,
    reason = "the language offers no safe way to watch allocations"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Cursor, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge_testkit::mutate::damaged;
use laz::las::{Point0, Point1, Point3, Point6, Point8};
use laz::record::{RecordCompressor, SequentialPointRecordCompressor};
use laz::{LasZipCompressor, LazItem, LazItemRecordBuilder, LazItemType, LazVlr, LazVlrBuilder};

/// Remembers the largest piece of memory that anybody asked for.
struct Watching;

#[global_allocator]
static ALLOCATOR: Watching = Watching;
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system allocator, which keeps the contract; watching touches an atomic
// and does not allocate.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Relaxed);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

const FORMATS: std::ops::RangeInclusive<u8> = 0..=10;
const SCALE: f64 = 0.01;
const OFFSET: f64 = 1000.0;
/// Where the record about the packing begins in a file of version 1.4; its items are behind 34 bytes.
const RECORD: usize = 375 + 54;

/// A scan of a terrain, line by line. The other fields of a point change now and then, but for times, which go on, and waves: where overflow is checked, the
/// crate's compressor panics when those jump.
fn terrain(items: &[LazItem], count: usize, rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut ends = 0;
    let mut time = None;
    let mut steady = Vec::new();
    for item in items {
        let start = ends;
        ends += usize::from(item.size());
        match item.item_type() {
            LazItemType::GpsTime => time = Some(start),
            LazItemType::Point14 => time = Some(start + 22),
            LazItemType::WavePacket13 | LazItemType::WavePacket14 => steady.extend(start..ends),
            _ => {}
        }
    }
    let mut row = vec![0; ends];
    (0..count as i32)
        .map(|i| {
            let at = 12 + rng.below(ends as u64 - 12) as usize;
            if rng.below(3) == 0 && !steady.contains(&at) {
                row[at] = rng.next_u64() as u8;
            }
            let noise = rng.below(7) as i32 - 3;
            let [x, y] = [i % 50 * 30 + noise, i / 50 * 30 - noise];
            let z = (x / 40) * (y / 30) % 200 + rng.below(5) as i32;
            for (to, steps) in row.chunks_exact_mut(4).zip([x, y, z]) {
                to.copy_from_slice(&steps.to_le_bytes());
            }
            if let Some(at) = time {
                let seconds = 1e5 + f64::from(i) * 0.001;
                row[at..at + 8].copy_from_slice(&seconds.to_le_bytes());
            }
            row.clone()
        })
        .collect()
}

fn expected(rows: &[Vec<u8>]) -> Vec<DVec3> {
    rows.iter()
        .map(|row| {
            let [x, y, z] = [0, 4, 8].map(|at| {
                let steps = i32::from_le_bytes(row[at..at + 4].try_into().unwrap());
                f64::from(steps) * SCALE + OFFSET
            });
            DVec3::new(x, y, z)
        })
        .collect()
}

/// A file of version 1.4 up to where the points begin.
fn head(format: u8, vlr: &LazVlr, count: usize) -> Vec<u8> {
    let mut record = Vec::new();
    vlr.write_to(&mut record).unwrap();
    let start = RECORD + record.len();
    let mut bytes = vec![0; RECORD];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, b"LASF");
    put(24, &[1, 4]);
    put(94, &375_u16.to_le_bytes());
    put(96, &(start as u32).to_le_bytes());
    put(100, &1_u32.to_le_bytes());
    put(104, &[format | 0x80]);
    put(105, &(vlr.items_size() as u16).to_le_bytes());
    put(247, &(count as u64).to_le_bytes());
    for axis in 0..3 {
        put(131 + 8 * axis, &SCALE.to_le_bytes());
        put(155 + 8 * axis, &OFFSET.to_le_bytes());
    }
    put(375 + 2, LazVlr::USER_ID.as_bytes());
    put(375 + 18, &LazVlr::RECORD_ID.to_le_bytes());
    put(375 + 20, &(record.len() as u16).to_le_bytes());
    bytes.extend(record);
    bytes
}

/// The file with these points, in chunks as the record says; where they may differ, in chunks of 1, 2, 3 … points.
fn packed(format: u8, vlr: &LazVlr, rows: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Cursor::new(head(format, vlr, rows.len()));
    out.seek(SeekFrom::End(0)).unwrap();
    let mut compressor = LasZipCompressor::new(out, vlr.clone()).unwrap();
    let (mut in_chunk, mut size) = (0, 1);
    for row in rows {
        compressor.compress_one(row).unwrap();
        in_chunk += 1;
        if vlr.uses_variable_size_chunks() && in_chunk == size {
            compressor.finish_current_chunk().unwrap();
            (in_chunk, size) = (0, size + 1);
        }
    }
    compressor.done().unwrap();
    compressor.into_inner().into_inner()
}

fn vlr(format: u8, extra: u16, chunk: u32) -> LazVlr {
    let builder = LazVlrBuilder::default()
        .with_point_format(format, extra)
        .unwrap();
    builder.with_fixed_chunk_size(chunk).build()
}

fn read(bytes: &[u8]) -> Result<PointCloud, CloudReadError> {
    read_cloud_bytes(bytes, CloudFormat::Las, &CloudReadOptions::default()).map(|file| file.cloud)
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn points_of_every_format_read_back() {
    let mut rng = Rng::new(1);
    for format in FORMATS {
        for (extra, chunk, count) in [
            (0, 50_000, 1200),
            (5, 100, 100),
            (0, 100, 101),
            (3, 40, 119),
            (0, 7, 1),
            (0, 1, 2),
            (0, 10, 0),
        ] {
            let vlr = vlr(format, extra, chunk);
            let rows = terrain(vlr.items(), count, &mut rng);
            let cloud = read(&packed(format, &vlr, &rows)).unwrap();
            assert_eq!(
                cloud.points(),
                expected(&rows),
                "format {format}, chunks of {chunk}"
            );
        }
    }
}

#[test]
fn every_version_of_the_packing_and_chunks_of_any_size_read_back() {
    let mut rng = Rng::new(2);
    // Not version 1 with colours: there the crate's compressor takes another table for blue than its decompressor does.
    let ways: [(u8, Vec<LazItem>); 8] = [
        (0, LazItemRecordBuilder::version_1_of::<Point0>(0)),
        (1, LazItemRecordBuilder::version_1_of::<Point1>(2)),
        (0, LazItemRecordBuilder::version_2_of::<Point0>(4)),
        (3, LazItemRecordBuilder::version_2_of::<Point3>(0)),
        (6, LazItemRecordBuilder::version_3_of::<Point6>(0)),
        (8, LazItemRecordBuilder::version_3_of::<Point8>(1)),
        (6, LazItemRecordBuilder::version_4_of::<Point6>(0)),
        (8, LazItemRecordBuilder::version_4_of::<Point8>(2)),
    ];
    for (format, items) in ways {
        let rows = terrain(&items, 100, &mut rng);
        let fixed = LazVlrBuilder::new(items.clone()).with_fixed_chunk_size(33);
        let variable = LazVlrBuilder::new(items).with_variable_chunk_size();
        for vlr in [fixed.build(), variable.build()] {
            let mut bytes = packed(format, &vlr, &rows);
            assert_eq!(read(&bytes).unwrap().points(), expected(&rows), "{vlr:?}");
            // A writer that cannot go back tells the place of the table at the end.
            let start = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
            let table = bytes[start..start + 8].to_vec();
            bytes[start..start + 8].copy_from_slice(&(-1_i64).to_le_bytes());
            assert!(refusal(&bytes).contains("no table of chunks"));
            bytes.extend(table);
            assert_eq!(read(&bytes).unwrap().points(), expected(&rows), "{vlr:?}");
        }
    }
}

#[test]
fn points_in_one_stretch_read_back() {
    let mut rng = Rng::new(3);
    let items = LazItemRecordBuilder::version_1_of::<Point1>(0);
    let vlr = LazVlr::from_laz_items(items.clone());
    let rows = terrain(&items, 500, &mut rng);
    let mut bytes = head(1, &vlr, rows.len());
    bytes[RECORD] = 1;
    let mut compressor = SequentialPointRecordCompressor::new(Cursor::new(Vec::new()));
    compressor.set_fields_from(&items).unwrap();
    for row in &rows {
        compressor.compress_next(row).unwrap();
    }
    compressor.done().unwrap();
    bytes.extend(compressor.into_inner().into_inner());
    assert_eq!(read(&bytes).unwrap().points(), expected(&rows));
}

#[test]
fn files_that_lie_are_refused_by_name() {
    let mut rng = Rng::new(4);
    let vlr = vlr(7, 2, 50);
    let rows = terrain(vlr.items(), 120, &mut rng);
    let fine = packed(7, &vlr, &rows);
    let start = u32::from_le_bytes(fine[96..100].try_into().unwrap()) as usize;
    let table = u64::from_le_bytes(fine[start..start + 8].try_into().unwrap()) as usize;
    // Behind the first point of the first chunk: its number of points, then the sizes of its layers.
    let chunk = start + 8 + vlr.items_size() as usize;
    let cases: [(usize, &[u8], &str); 15] = [
        (375 + 2, b"other", "no record says how"),
        (375 + 20, &[0xFF, 0xFF], "ends inside a record"),
        (96, &[0xFF; 4], "after the end of the file"),
        (105, &[40, 0], "a point has 40"),
        (RECORD, &[9], "compressor 9"),
        (RECORD, &[2], "item 10"),
        (RECORD + 2, &[1], "coder 1"),
        (RECORD + 32, &[200], "200 items do not fit"),
        (RECORD + 34 + 2, &[31], "item 10 of 31 bytes"),
        (RECORD + 34 + 4, &[7], "version 7"),
        (247, &[0, 0, 0, 0, 1], "4294967296 points"),
        (247, &[151], "151 points are declared, the chunks have 150"),
        (247, &[121], "a chunk of 21 points says that it has 20"),
        (table + 4, &[0xFF; 4], "4294967295 chunks"),
        (chunk, &[49], "a chunk of 50 points says that it has 49"),
    ];
    for (at, value, wanted) in cases {
        let mut bytes = fine.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        let said = refusal(&bytes);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    for layer in 0..vlr.items().len() {
        let mut bytes = fine.clone();
        let at = chunk + 4 + 4 * layer;
        bytes[at..at + 4].copy_from_slice(&[0xFF; 4]);
        assert!(refusal(&bytes).contains("the layers of a chunk"));
    }
    // One chunk for three million points.
    let mut bytes = fine.clone();
    bytes[RECORD + 12..RECORD + 16].copy_from_slice(&4_000_000_u32.to_le_bytes());
    bytes[247..251].copy_from_slice(&3_000_000_u32.to_le_bytes());
    assert!(refusal(&bytes).contains("more than 128 for each byte"));
    assert_eq!(read(&fine).unwrap().points(), expected(&rows));
}

/// Seeded damage, half of it where the sizes are.
fn broken(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let start = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
    let mut broken = bytes.to_vec();
    let mut below = |n: usize| rng.below(n as u64) as usize;
    match below(5) {
        0 => return damaged(bytes, rng),
        1 => broken.truncate(below(bytes.len())),
        // The packed bits.
        2 => {
            for _ in 0..=below(6) {
                let at = start + 8 + below(bytes.len() - start - 8);
                broken[at] ^= 1 << below(8);
            }
        }
        // A run of ones or zeros among them.
        3 => {
            let at = start + below(bytes.len() - start);
            let end = bytes.len().min(at + 1 + below(12));
            broken[at..end].fill([0, 0xFF][below(2)]);
        }
        // Numbers at the edge of what they hold.
        _ => {
            let at = match below(4) {
                0 => RECORD + below(start - RECORD),
                1 => start + below(160).min(bytes.len() - start - 1),
                2 => bytes.len() - 1 - below(40).min(bytes.len() - 1),
                _ => below(start),
            };
            let value = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][below(6)];
            let end = bytes.len().min(at + [1, 2, 4, 8][below(4)]);
            broken[at..end].fill(value);
        }
    }
    broken
}

#[test]
fn cut_and_damaged_files_are_read_or_refused_but_never_panic() {
    // What the decoder says when it panics is of no use here; everything else is.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or("", |at| at.file());
        if !place.contains("laz-") {
            before(panic);
        }
    }));
    let mut rng = Rng::new(5);
    let (mut same, mut refused, mut changed) = (0, 0, 0);
    for format in FORMATS {
        for (extra, chunk, count) in [(0, 50, 120), (3, 1000, 90)] {
            let vlr = vlr(format, extra, chunk);
            let rows = terrain(vlr.items(), count, &mut rng);
            let (fine, points) = (packed(format, &vlr, &rows), expected(&rows));
            // A chunk of the older formats takes a millisecond of making tables.
            for _ in 0..if format < 6 { 30 } else { 170 } {
                let bytes = broken(&fine, &mut rng);
                match read(&bytes) {
                    Ok(cloud) if cloud.points() == points => same += 1,
                    Ok(cloud) => {
                        changed += 1;
                        assert!(cloud.points().iter().all(|p| p.is_finite()));
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(!error.to_string().is_empty());
                    }
                }
            }
        }
    }
    let all = same + refused + changed;
    assert_eq!(all, 2060);
    assert!(
        refused > all / 5 && changed > all / 200,
        "{same} {refused} {changed}"
    );
    // The points that any file may have are a quarter of this.
    let largest = LARGEST.load(Relaxed);
    assert!(largest < 100 << 20, "{largest} bytes at once");
}
