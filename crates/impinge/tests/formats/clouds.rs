//! Files of clouds: written and read back, cut short, damaged, and real scans.
#![cfg(feature = "formats")]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::{Path, PathBuf};

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge_testkit::mutate::damaged;
use impinge_testkit::recorded;

fn clouds() -> Vec<PointCloud> {
    let mut rng = Rng::new(1);
    let mut points: Vec<DVec3> = (0..200).map(|_| rng.cube()).collect();
    points.extend([
        DVec3::ZERO,
        DVec3::splat(1e-300),
        DVec3::new(1e40, -1e-40, 0.1),
        -DVec3::ONE,
    ]);
    let normals = (0..points.len()).map(|_| rng.direction()).collect();
    vec![
        PointCloud::default(),
        PointCloud::new(points.clone(), None).unwrap(),
        PointCloud::new(points, Some(normals)).unwrap(),
        PointCloud::from_points((0..500).map(|i| [f64::from(i % 10), f64::from(i / 10), 0.0]))
            .unwrap(),
    ]
}

fn files() -> Vec<(CloudFormat, Vec<u8>, PointCloud)> {
    let mut files = Vec::new();
    for cloud in clouds() {
        for format in CloudFormat::ALL {
            for (text, compressed) in [(false, false), (true, false), (false, true)] {
                let options = CloudWriteOptions { text, compressed };
                match write_cloud_bytes(&cloud, format, &options) {
                    Ok(bytes) => files.push((format, bytes, cloud.clone())),
                    Err(error) => assert_eq!(format, CloudFormat::Las, "{error}"),
                }
            }
        }
    }
    files.push((
        CloudFormat::Las,
        las(&[[100, 200, 300], [-5, 0, 7]]),
        PointCloud::default(),
    ));
    files
}

/// A LAS file of version 1.2 with scale 0.01 and offset 1000.
fn las(points: &[[i32; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 227];
    bytes[..4].copy_from_slice(b"LASF");
    bytes[24..26].copy_from_slice(&[1, 2]);
    bytes[94..96].copy_from_slice(&227_u16.to_le_bytes());
    bytes[96..100].copy_from_slice(&227_u32.to_le_bytes());
    bytes[105..107].copy_from_slice(&20_u16.to_le_bytes());
    bytes[107..111].copy_from_slice(&(points.len() as u32).to_le_bytes());
    for axis in 0..3 {
        bytes[131 + 8 * axis..139 + 8 * axis].copy_from_slice(&0.01_f64.to_le_bytes());
        bytes[155 + 8 * axis..163 + 8 * axis].copy_from_slice(&1000.0_f64.to_le_bytes());
    }
    for point in points {
        for x in point {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 8]);
    }
    bytes
}

#[test]
fn what_is_written_reads_back_bit_for_bit() {
    for (format, bytes, cloud) in files() {
        if format == CloudFormat::Las {
            continue;
        }
        let file = read_cloud_bytes(&bytes, format, &CloudReadOptions::default()).unwrap();
        assert_eq!(file.cloud, cloud, "{format}");
        assert!(file.dropped.is_empty());
    }
}

#[test]
fn laser_scans_are_scaled_and_moved() {
    let bytes = las(&[[100, 200, 300], [-5, 0, 7]]);
    let file = read_cloud_bytes(&bytes, CloudFormat::Las, &CloudReadOptions::default()).unwrap();
    assert_eq!(file.cloud.points()[0], DVec3::new(1001.0, 1002.0, 1003.0));
    let mut compressed = bytes;
    compressed[104] = 0x80;
    let error = read_cloud_bytes(&compressed, CloudFormat::Las, &CloudReadOptions::default());
    let wanted = if cfg!(feature = "laz") {
        "no record says how"
    } else {
        "(LAZ), which is read only with the feature `laz`"
    };
    assert!(error.unwrap_err().to_string().contains(wanted));
}

#[test]
fn cut_and_damaged_files_are_read_or_refused_but_never_panic() {
    let mut rng = Rng::new(2);
    let options = [false, true].map(|drop_invalid| CloudReadOptions { drop_invalid });
    let mut refused = 0;
    for (format, bytes, _) in files() {
        for _ in 0..60 {
            let cut = rng.below(bytes.len() as u64 + 1) as usize;
            for options in &options {
                let _ = read_cloud_bytes(&bytes[..cut], format, options);
            }
            let broken = damaged(&bytes, &mut rng);
            for options in &options {
                match read_cloud_bytes(&broken, format, options) {
                    Ok(file) => assert!(file.cloud.points().iter().all(|p| p.is_finite())),
                    Err(error) => {
                        refused += 1;
                        assert!(!error.to_string().is_empty());
                    }
                }
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn headers_that_promise_too_much_are_refused_without_allocating() {
    let plain = CloudReadOptions::default();
    let huge = [
        (CloudFormat::Ply, &b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999999999\nproperty double x\nproperty double y\nproperty double z\nend_header\n"[..]),
        (CloudFormat::Ply, b"ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nproperty double x\nproperty double y\nproperty double z\nend_header\n0 0 0\n"),
        (CloudFormat::Pcd, b"FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 99999999999\nHEIGHT 99999999999\nDATA binary\n"),
        (CloudFormat::Pcd, b"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 300000000\nDATA binary_compressed\n\x08\0\0\0\0\xa4\x93\xd6abcdefgh"),
    ];
    for (format, bytes) in huge {
        assert!(read_cloud_bytes(bytes, format, &plain).is_err(), "{format}");
    }
}

#[test]
fn errors_name_the_place() {
    let plain = CloudReadOptions::default();
    let error = |bytes: &[u8], format| {
        read_cloud_bytes(bytes, format, &plain)
            .unwrap_err()
            .to_string()
    };
    let cases: [(&[u8], CloudFormat, &str); 6] = [
        (
            b"0 0 0\n1 2 x\n",
            CloudFormat::Xyz,
            "XYZ, line 2: expected a number, found 'x'",
        ),
        (
            b"0 0 0\n1 2\n",
            CloudFormat::Xyz,
            "XYZ, line 2: 2 values where the first point has 3",
        ),
        (
            b"0 0 0\n1 nan 3\n",
            CloudFormat::Xyz,
            "XYZ, line 2: point 1 has a coordinate that is not finite: NaN",
        ),
        (
            b"v 1 2\n",
            CloudFormat::Obj,
            "OBJ, line 1: the line ends where a coordinate is expected",
        ),
        (
            b"ply\nformat ascii 1.0\nend_header\n",
            CloudFormat::Ply,
            "PLY, line 3: there is no element 'vertex'",
        ),
        (
            b"x,y,z\n1,2,3\n1,,3\n",
            CloudFormat::Csv,
            "CSV, line 3: expected a number, found ''",
        ),
    ];
    for (bytes, format, wanted) in cases {
        assert_eq!(error(bytes, format), wanted);
    }
}

#[test]
fn text_of_many_habits_is_understood() {
    let plain = CloudReadOptions::default();
    let wanted = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)];
    let texts: [&[u8]; 8] = [
        b"1 2 3\n4 5 6\n",
        b"1,2,3\r\n4,5,6",
        b"# made by hand\n1;2;3\n\n4;5;6\n",
        b"X,Y,Z\n1,2,3\n4,5,6\n",
        b"//X Y Z\n1 2 3\n4 5 6\n",
        b"2\n1 2 3\n4 5 6\n",
        b"id,z,y,x\n7,3,2,1\n8,6,5,4\n",
        b"1 2 3 0.5\n4 5 6 0.5\n",
    ];
    for text in texts {
        let file = read_cloud_bytes(text, CloudFormat::Xyz, &plain);
        let file = file.unwrap_or_else(|e| panic!("{}: {e}", text.escape_ascii()));
        assert_eq!(file.cloud.points(), wanted, "{}", text.escape_ascii());
    }
    let with_normals = read_cloud_bytes(b"1 2 3 0 0 1.001\n", CloudFormat::Xyz, &plain).unwrap();
    assert_eq!(with_normals.cloud.normals(), Some(&[DVec3::Z][..]));
    assert!(!with_normals.has_unread_columns);
    let mesh = b"ply\nformat ascii 1.0\nelement thing 1\nproperty list uchar int a\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n2 1 1\n1 2 3\n";
    let file = read_cloud_bytes(mesh, CloudFormat::Ply, &plain).unwrap();
    assert_eq!(file.cloud.points(), [wanted[0]]);
}

#[test]
fn colours_are_not_taken_for_normals() {
    let plain = CloudReadOptions::default();
    let read = |text: &[u8]| read_cloud_bytes(text, CloudFormat::Xyz, &plain);
    // Black has no direction, and must not refuse the file.
    for text in [
        &b"1 2 3 255 128 0\n4 5 6 0 0 0\n"[..],
        b"1 2 3 0.2 0.4 0.1\n4 5 6 1 0 0\n",
        b"1 2 3 0 0 0\n4 5 6 0 0 0\n",
        b"1 2 3 1 0 0\n4 5 6 0 0 2\n",
    ] {
        let file = read(text).unwrap();
        assert!(file.has_unread_columns && file.cloud.normals().is_none());
        assert_eq!(file.cloud.points()[1], DVec3::new(4.0, 5.0, 6.0));
    }
    // Among normals one without a direction is an error, or dropped on request; a heading decides whatever the lengths are.
    let one_is_zero = b"1 2 3 1 0 0\n4 5 6 0 0 0\n";
    assert!(read(one_is_zero).is_err());
    let dropping = CloudReadOptions { drop_invalid: true };
    let file = read_cloud_bytes(one_is_zero, CloudFormat::Xyz, &dropping).unwrap();
    assert_eq!((file.cloud.len(), &file.dropped[..]), (1, &[1][..]));
    let named = read(b"x y z nx ny nz\n1 2 3 0 0 2\n").unwrap();
    assert_eq!(named.cloud.normals(), Some(&[DVec3::Z][..]));
    assert!(!named.has_unread_columns);
    let coloured = read(b"x y z r g b\n1 2 3 1 0 0\n").unwrap();
    assert!(coloured.cloud.normals().is_none() && !coloured.has_unread_columns);
}

#[test]
fn findings_name_what_is_imperfect() {
    let kinds = |points: Vec<DVec3>| {
        let cloud = PointCloud::new(points, None).unwrap();
        let found = cloud_findings(&cloud);
        found.iter().map(|f| f.kind).collect::<Vec<_>>()
    };
    use CloudFindingKind as K;
    let mut rng = Rng::new(3);
    let mut ball: Vec<DVec3> = (0..500).map(|_| rng.direction()).collect();
    assert_eq!(kinds(ball.clone()), []);
    ball.push(DVec3::splat(30.0));
    ball.push(ball[7]);
    assert_eq!(kinds(ball), [K::Duplicates, K::Outliers]);
    assert_eq!(kinds(vec![]), [K::Empty]);
    assert_eq!(kinds(vec![DVec3::ONE; 20]), [K::OnePlace, K::Duplicates]);
    assert_eq!(
        kinds(
            (0..20)
                .map(|i| DVec3::new(1.0, 2.0, 0.0) * f64::from(i))
                .collect()
        ),
        [K::Collinear]
    );
    assert_eq!(
        kinds(
            (0..25)
                .map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5), 1.0))
                .collect()
        ),
        [K::Planar]
    );
    assert_eq!(kinds(vec![DVec3::ZERO, DVec3::X]), [K::Few, K::Collinear]);
    let far = (0..30).map(|_| DVec3::splat(1e9) + rng.cube()).collect();
    assert_eq!(kinds(far), [K::FarFromOrigin]);
}

fn scans() -> Option<PathBuf> {
    let folder = recorded::folder(Path::new(env!("CARGO_MANIFEST_DIR")))?;
    Some(folder.join("pcl-point-clouds")).filter(|f| f.is_dir())
}

#[test]
fn real_scans_are_read_and_have_a_surface() {
    let Some(folder) = scans() else {
        return;
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "pcd"));
    paths.sort();
    let mut seen = 0;
    for path in paths {
        let file = read_cloud(&path, &CloudReadOptions { drop_invalid: true });
        let file = file.unwrap_or_else(|e| panic!("{e}"));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let total = file.cloud.len() + file.dropped.len();
        match name.as_str() {
            "capture0001.pcd" => assert_eq!((total, file.cloud.len()), (307_200, 249_647)),
            "capture0002.pcd" => assert_eq!((total, file.cloud.len()), (307_200, 249_931)),
            "bun0.pcd" => assert_eq!(file.cloud.len(), 397),
            "room_scan1.pcd" => assert_eq!(total, 112_586),
            _ => {}
        }
        if total > 40_000 {
            continue;
        }
        let distinct = file.cloud.distinct().cloud;
        let graph = ProximityGraph::new(&distinct, &GraphOptions::default()).unwrap();
        let surface = CloudSurface::unoriented(graph.into(), SurfaceOptions::default()).unwrap();
        let mut scratch = EvaluationScratch::default();
        let (mut defined, mut asked) = (0, 0);
        for &p in distinct.points().iter().step_by(17) {
            asked += 1;
            defined += usize::from(surface.evaluate(p, &mut scratch).value().is_some());
        }
        assert!(defined * 10 >= asked * 7, "{name}: {defined} of {asked}");
        seen += 1;
    }
    assert!(seen >= 5);
}
