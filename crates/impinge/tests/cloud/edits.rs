//! Edited graphs and path maps against a rebuild.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;

/// The graph and map of edited points beside those of a new build, through the renaming of ids.
fn assert_as_new(
    graph: &ProximityGraph,
    map: &PathMap,
    horizon: PathHorizon,
    measure: PathLength,
    context: &str,
) {
    let ids: Vec<PointId> = graph.ids().collect();
    let points: Vec<DVec3> = ids.iter().map(|&id| graph.place(id).unwrap()).collect();
    let fresh =
        ProximityGraph::new(&PointCloud::new(points, None).unwrap(), graph.options()).unwrap();
    let fresh_map = PathMap::new(&fresh, horizon, measure).unwrap();
    let number = |id: PointId| PointId::new(ids.binary_search(&id).unwrap() as u32);
    let renamed = |list: &[PointId]| {
        let mut list: Vec<PointId> = list.iter().map(|&q| number(q)).collect();
        list.sort();
        list
    };
    assert_eq!(graph.edge_count(), fresh.edge_count(), "{context}");
    for (&old, new) in ids.iter().zip(0..) {
        let new = PointId::new(new);
        assert_eq!(graph.reach(old), fresh.reach(new), "{context}");
        assert_eq!(
            graph.longest_edge(old),
            fresh.longest_edge(new),
            "{context}"
        );
        assert_eq!(graph.spacing(old), fresh.spacing(new), "{context}");
        assert_eq!(
            renamed(graph.neighbours(old)),
            fresh.neighbours(new),
            "{context}"
        );
        assert_eq!(
            renamed(graph.far_neighbours(old)),
            fresh.far_neighbours(new),
            "{context}"
        );
        let key = |r: &PathEnd, point: PointId| (r.length.to_bits(), r.hops, point);
        let mut mine: Vec<_> = map
            .from(old)
            .iter()
            .map(|r| key(r, number(r.point)))
            .collect();
        let mut theirs: Vec<_> = fresh_map
            .from(new)
            .iter()
            .map(|r| key(r, r.point))
            .collect();
        mine.sort();
        theirs.sort();
        assert_eq!(mine, theirs, "{context}");
    }
}

fn edit(
    graph: &mut ProximityGraph,
    rng: &mut Rng,
    place: &mut dyn FnMut(&mut Rng) -> DVec3,
) -> GraphChange {
    let ids: Vec<PointId> = if graph.len() < 40 {
        graph.ids().collect()
    } else {
        Vec::new()
    };
    let mut pick = |rng: &mut Rng| match ids.len() {
        0 => {
            let x = place(rng);
            graph.tree().nearest(x).map(|n| n.point)
        }
        n => Some(ids[rng.below(n as u64) as usize]),
    };
    let chosen = pick(rng);
    match (rng.below(3), chosen) {
        (0, Some(id)) => graph.remove(id).unwrap(),
        (1, Some(id)) => graph.relocate(id, place(rng)).unwrap(),
        _ => graph.insert(place(rng)).unwrap(),
    }
}

#[test]
fn small_edited_clouds_are_as_new_after_every_edit() {
    let horizons = [PathHorizon::Length(1.5), PathHorizon::Edges(1.5)];
    let measures = [
        PathLength::Polyline,
        PathLength::Triangles,
        PathLength::Spline,
    ];
    let influences = [
        Influence::Spheres { order: 1 },
        Influence::Spheres { order: 4 },
        Influence::Nearest { count: 3 },
        // These two are built anew inside the edit.
        Influence::Ellipsoids(EllipsoidOptions::default()),
        Influence::Delaunay,
    ];
    let mut rng = Rng::new(12);
    for round in 0..60 {
        let influence = influences[round % 5];
        let (horizon, measure) = (horizons[round / 5 % 2], measures[round / 10 % 3]);
        let on_grid = round % 4 < 2;
        let mut place = |rng: &mut Rng| {
            if on_grid {
                DVec3::new(rng.grid(0, 3), rng.grid(0, 3), rng.grid(0, 2))
            } else {
                rng.cube() * 2.0
            }
        };
        let start = [0, 3, 12, 60][round % 4];
        let points = (0..start).map(|_| place(&mut rng)).collect();
        let options = GraphOptions {
            influence,
            ..GraphOptions::default()
        };
        let mut graph =
            ProximityGraph::new(&PointCloud::new(points, None).unwrap(), &options).unwrap();
        let mut map = PathMap::new(&graph, horizon, measure).unwrap();
        for step in 0..40 {
            let change = edit(&mut graph, &mut rng, &mut place);
            map.update(&graph, &change);
            let context =
                format!("round {round} step {step} {influence:?} {horizon:?} {measure:?}");
            assert_as_new(&graph, &map, horizon, measure, &context);
        }
    }
}

#[test]
fn a_thousand_edits_of_ten_thousand_points_are_a_rebuild() {
    let mut rng = Rng::new(13);
    let points: Vec<DVec3> = (0..10_000).map(|_| rng.direction()).collect();
    let mut graph = ProximityGraph::new(
        &PointCloud::new(points, None).unwrap(),
        &GraphOptions::default(),
    )
    .unwrap();
    let horizon = PathHorizon::Length(0.05);
    let mut map = PathMap::new(&graph, horizon, PathLength::Polyline).unwrap();
    let mut searched = 0;
    for step in 0..1000 {
        let mut place = |rng: &mut Rng| rng.direction() * (1.0 + 0.01 * rng.unit());
        let change = edit(&mut graph, &mut rng, &mut place);
        searched += map.update(&graph, &change);
        if step == 300 {
            assert_as_new(&graph, &map, horizon, PathLength::Polyline, "after 300");
        }
    }
    assert_as_new(&graph, &map, horizon, PathLength::Polyline, "at the end");
    assert!(
        searched < 1000 * 600,
        "{searched} sources were searched again"
    );
}

#[test]
fn an_edited_surface_over_a_graph_that_is_built_anew_is_a_new_surface() {
    for influence in [
        Influence::Ellipsoids(EllipsoidOptions::default()),
        Influence::Delaunay,
    ] {
        let mut rng = Rng::new(16);
        let options = GraphOptions {
            influence,
            ..GraphOptions::default()
        };
        let of = |points: Vec<DVec3>| {
            let graph = ProximityGraph::new(&PointCloud::new(points, None).unwrap(), &options);
            CloudSurface::new(graph.unwrap().into(), SurfaceOptions::default()).unwrap()
        };
        let ball = |rng: &mut Rng| rng.direction() * (1.0 + 0.02 * rng.unit());
        let mut surface = of((0..300).map(|_| ball(&mut rng)).collect());
        for step in 0..12 {
            let ids: Vec<PointId> = surface.graph().ids().collect();
            let id = ids[rng.below(ids.len() as u64) as usize];
            let place = ball(&mut rng);
            match step % 3 {
                0 => surface.insert(place).unwrap(),
                1 => surface.remove(id).unwrap(),
                _ => surface.relocate(id, place).unwrap(),
            };
        }
        let graph = surface.graph();
        let fresh = of(graph.ids().map(|id| graph.place(id).unwrap()).collect());
        let mut scratch = EvaluationScratch::default();
        for _ in 0..200 {
            let x = rng.direction() * rng.range(0.95, 1.05);
            let edited = surface.evaluate(x, &mut scratch).value();
            let new = fresh.evaluate(x, &mut scratch).value();
            // Sums run in the order of paths, which ids break ties of.
            assert_eq!(edited.is_some(), new.is_some(), "{influence:?} {x}");
            let apart = edited.zip(new).map_or(0.0, |(a, b)| a.abs() - b.abs());
            assert!(apart.abs() < 1e-12, "{influence:?} {x}: {apart}");
        }
    }
}

#[test]
fn growing_from_nothing_and_shrinking_to_it_works() {
    let mut rng = Rng::new(14);
    let mut graph = ProximityGraph::new(&PointCloud::default(), &GraphOptions::default()).unwrap();
    let horizon = PathHorizon::Length(0.2);
    let mut map = PathMap::new(&graph, horizon, PathLength::Polyline).unwrap();
    for _ in 0..3000 {
        // Sorted along x: the tree has to be made anew now and then.
        let place = DVec3::new(graph.len() as f64 * 0.01, rng.unit() * 0.1, 0.0);
        let change = graph.insert(place).unwrap();
        map.update(&graph, &change);
    }
    assert_as_new(&graph, &map, horizon, PathLength::Polyline, "grown");
    for id in (0..3000).rev() {
        let change = graph.remove(PointId::new(id)).unwrap();
        map.update(&graph, &change);
        assert!(map.from(PointId::new(id)).is_empty());
    }
    assert!(graph.is_empty() && graph.edge_count() == (0, 0) && map.entries() == 0);
    assert!(graph.remove(PointId::new(0)).is_err());
}

#[test]
fn edits_that_cannot_be_done_change_nothing() {
    let mut rng = Rng::new(15);
    let cloud = PointCloud::from_points((0..50).map(|_| rng.cube())).unwrap();
    let mut graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let before = format!("{graph:?}");
    assert!(graph.insert(DVec3::NAN).is_err());
    assert!(
        graph
            .relocate(PointId::new(3), DVec3::splat(1e300))
            .is_err()
    );
    assert!(graph.relocate(PointId::new(99), DVec3::ZERO).is_err());
    assert!(graph.remove(PointId::new(50)).is_err());
    assert_eq!(before, format!("{graph:?}"));
}

#[test]
fn clouds_that_deform_have_the_graph_and_paths_of_new_ones() {
    let mut rng = Rng::new(71);
    let points: Vec<DVec3> = (0..2000).map(|_| rng.direction()).collect();
    let spheres = GraphOptions::default();
    let nearest = GraphOptions {
        influence: Influence::Nearest { count: 8 },
        ..spheres
    };
    let cloud = PointCloud::new(points.clone(), None).unwrap();
    for options in [spheres, nearest] {
        for measure in [PathLength::Polyline, PathLength::Triangles] {
            let graph = ProximityGraph::new(&cloud, &options).unwrap();
            let surface_options = SurfaceOptions {
                paths: measure,
                ..SurfaceOptions::default()
            };
            let mut surface = CloudSurface::new(graph.into(), surface_options).unwrap();
            let mut places = points.clone();
            for (step, all) in [(0.05, true), (0.2, true), (0.03, false)] {
                // A wave through all of it, then a bump on a side.
                for p in places.iter_mut().filter(|p| all || p.z > 0.95) {
                    *p += DVec3::new(0.0, step * (3.0 * p.x).sin(), step * p.y);
                }
                let searched = surface.relocate_all(&places, None).unwrap();
                assert!(searched > 0 && (all || searched < 1200), "{searched}");
                let map = surface.paths().unwrap();
                let fresh_cloud = PointCloud::new(places.clone(), None).unwrap();
                let fresh = ProximityGraph::new(&fresh_cloud, &options).unwrap();
                let fresh = CloudSurface::new(fresh.into(), surface_options).unwrap();
                for id in fresh.graph().ids() {
                    assert_eq!(surface.graph().neighbours(id), fresh.graph().neighbours(id));
                    assert_eq!(
                        surface.graph().far_neighbours(id),
                        fresh.graph().far_neighbours(id)
                    );
                    assert_eq!(surface.graph().reach(id), fresh.graph().reach(id));
                    assert_eq!(surface.graph().spacing(id), fresh.graph().spacing(id));
                    assert_eq!(map.from(id), fresh.paths().unwrap().from(id));
                }
                assert_eq!(surface.normals(), fresh.normals());
                assert_eq!(surface.overhang(), fresh.overhang());
                let mut scratch = EvaluationScratch::default();
                for p in places.iter().step_by(10) {
                    let x = *p * 1.01;
                    let here = surface.evaluate(x, &mut scratch);
                    assert_eq!(here, fresh.evaluate(x, &mut scratch));
                }
            }
        }
    }
}

#[test]
fn bulk_moves_respect_removed_points_and_refuse_bad_places() {
    let mut rng = Rng::new(72);
    let points: Vec<DVec3> = (0..400).map(|_| rng.direction()).collect();
    for influence in [Influence::Spheres { order: 4 }, Influence::Delaunay] {
        let options = GraphOptions {
            influence,
            ..GraphOptions::default()
        };
        let cloud = PointCloud::new(points.clone(), None).unwrap();
        let mut graph = ProximityGraph::new(&cloud, &options).unwrap();
        for id in [3, 77, 399] {
            graph.remove(PointId::new(id)).unwrap();
        }
        let mut wide: Vec<DVec3> = points
            .iter()
            .map(|p| DVec3::new(p.x * 2.0, p.y, p.z))
            .collect();
        // The place of a removed point is nobody's.
        wide[77] = DVec3::NAN;
        graph.relocate_all(&wide).unwrap();
        let horizon = PathHorizon::Edges(1.5);
        let map = PathMap::new(&graph, horizon, PathLength::Polyline).unwrap();
        assert_as_new(&graph, &map, horizon, PathLength::Polyline, "bulk");
        // And later edits of single points go on from there.
        graph
            .relocate(PointId::new(5), DVec3::new(1.9, 0.3, 0.0))
            .unwrap();
        graph.insert(DVec3::new(-1.9, 0.2, 0.1)).unwrap();
        let map = PathMap::new(&graph, horizon, PathLength::Polyline).unwrap();
        assert_as_new(&graph, &map, horizon, PathLength::Polyline, "edited");
        let kept = graph.place(PointId::new(9));
        // The inserted point took the id of a removed one.
        let count = points.len();
        assert!(graph.relocate_all(&vec![DVec3::X; count + 1]).is_err());
        assert!(graph.relocate_all(&vec![DVec3::NAN; count]).is_err());
        assert_eq!(graph.place(PointId::new(9)), kept);
    }
    let many: Vec<DVec3> = (0..5000).map(|_| rng.direction()).collect();
    let cloud = PointCloud::new(many, None).unwrap();
    let mut graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let edges = graph.edge_count();
    assert!(graph.relocate_all(&vec![DVec3::X; 5000]).is_err());
    assert_eq!(graph.edge_count(), edges);
    let map = PathMap::new(&graph, PathHorizon::Edges(1.0), PathLength::Polyline).unwrap();
    assert_as_new(
        &graph,
        &map,
        PathHorizon::Edges(1.0),
        PathLength::Polyline,
        "refused",
    );
}
