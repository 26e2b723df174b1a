//! Measures impinge, checks every bar and prints whether it is met.

mod ablation_1994;
mod arguments;
mod average_case;
mod bar;
mod box_tree_ablation;
mod broad_phase;
mod broken_pipe;
mod ccd;
mod chart;
mod clash_truth;
mod clouds;
mod compare;
mod configurations;
mod convex_methods;
mod convex_speed;
mod convex_truth;
mod counting_alloc;
mod csv_rows;
mod deform;
mod engine_choice;
mod engine_truth;
mod engines;
mod exact_volume;
mod folders;
mod fuzz_formats;
mod gpu;
mod ground_truth;
mod half_edges;
mod haptics;
mod impact_truth;
mod kinetic;
mod line_process;
mod manifold;
mod missed_bars;
mod mixed_pairs;
mod models_1994;
mod motion_truth;
mod own_runners;
mod pair;
mod pair_measurement;
mod pair_summary;
mod parallel_cases;
mod penalty;
mod performance;
mod pose_sampling;
mod process_guard;
mod published;
mod quality;
mod report;
mod result_sheet;
mod rigid;
mod runner;
mod runner_output;
mod sample_statistics;
mod scan;
mod scenario;
mod scenes;
mod separating_planes;
#[path = "../engines/serve.rs"]
mod serve;
mod speedup_laws;
mod suite;
mod thread_cpu_time;
mod tree_arity;
mod tri_tri_cost;
mod tri_tri_truth;
mod volume;
mod world_stress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub(crate) use bar::{Bar, Bars};

#[derive(Debug, Parser)]
#[command(
    name = "impinge-bench",
    version,
    about = "Measure impinge and print whether each bar is met",
    after_help = "Folders named as defaults, such as target/records or records/DATE-MACHINE, are those of the checkout that the current folder is in; elsewhere \
                  they are below impinge-bench in the current folder. CARGO_TARGET_DIR takes the place of target."
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    TreeArity(tree_arity::Args),
    /// Cost of the exact triangle–triangle test beside a plain f64 test without exactness
    TriTriCost(tri_tri_cost::Args),
    /// The triangle–triangle test against rational arithmetic, millions of pairs
    TriTriTruth(tri_tri_truth::Args),
    /// Growth of the half-edge builder's time with the mesh, beside the naive builder
    HalfEdges(half_edges::Args),
    /// Trees of cut boxes beside the flat algorithm, and each of their parts on and off
    BoxTree(box_tree_ablation::Args),
    /// The results of 1994 as ratios: pre-checks, collecting, box-trees, flags, two threads
    #[command(name = "ablation-1994")]
    Ablation1994(ablation_1994::Args),
    /// Mutated files of every format: no panic, no hang, no memory blow-up
    FuzzFormats(fuzz_formats::Args),
    Pair(pair::Args),
    Run(rigid::Args),
    Chart(chart::Args),
    Report(report::Args),
    #[command(alias = "cmp")]
    Compare(compare::Args),
    Published(published::Args),
    Missed(missed_bars::Args),
    #[command(hide = true)]
    Serve(own_runners::Args),
    /// Ends what is left of other programs when this one is gone
    #[command(hide = true)]
    Guard,
    /// Every exact engine against the brute-force oracle on random and grid cases
    EngineTruth(engine_truth::Args),
    /// From which size on a tree pays, and whether the automatic choice agrees
    AutoChoice(engine_choice::Args),
    /// The time of impact against dense exact sampling of random motions
    ImpactTruth(impact_truth::Args),
    /// Convex pairs beside libccd, parry and Coal: yes or no, and distance
    ConvexSpeed(convex_speed::Args),
    /// Balls, capsules, boxes and hulls against meshes beside parry and Coal: yes or no, and distance
    MixedPairs(mixed_pairs::Args),
    /// Every method for two polyhedra by size and motion, and whether the automatic choice takes the best
    ConvexMethods(convex_methods::Args),
    /// Convex hulls against exact separating axes, a million pairs
    ConvexTruth(convex_truth::Args),
    /// The exact volume that two solids share beside Manifold's boolean
    ExactVolume(exact_volume::Args),
    /// Clashes of real assemblies against brute force, and the memory of ten million instanced triangles
    ClashTruth(clash_truth::Args),
    Ccd(ccd::Args),
    /// Crossings of the surfaces of two clouds: candidates, time and evaluations beside sampling, moving points
    #[command(alias = "cloud-brackets")]
    CloudInterpolationSearch(clouds::BracketsArgs),
    /// Proximity graphs of clouds: growth with the points, a million of them, edits beside a rebuild
    CloudGraphs(clouds::GraphsArgs),
    /// Clouds as shapes against a mesh, a cloud and a cylinder: distance and yes or no, beside asking every point
    CloudPairs(clouds::PairsArgs),
    /// The surface behind clouds: bandwidths, the cost of an evaluation, the eigenvector solver
    CloudSurface(clouds::SurfaceArgs),
    Configurations(configurations::Args),
    Scenes(scenes::Args),
    /// Separating planes: the published error table beside ours, kept planes beside new ones
    #[command(alias = "planes")]
    SeparatingPlanes(separating_planes::Args),
    /// Kinetic trees beside refitted ones, separation lists beside swept boxes and steps
    Kinetic(kinetic::Args),
    /// A world on its own thread under stress, and two engines racing
    #[command(alias = "world")]
    WorldStress(world_stress::Args),
    /// A robot of packed parts against depth-camera frames, beside brute force and kiddo
    Scan(scan::Args),
}

fn main() -> anyhow::Result<ExitCode> {
    broken_pipe::end_quietly();
    let bar = match Args::parse().command {
        Command::TreeArity(args) => tree_arity::run(&args)?,
        Command::TriTriCost(args) => tri_tri_cost::run(&args)?,
        Command::TriTriTruth(args) => tri_tri_truth::run(&args)?,
        Command::HalfEdges(args) => half_edges::run(&args)?,
        Command::BoxTree(args) => box_tree_ablation::run(&args)?,
        Command::Ablation1994(args) => ablation_1994::run(&args)?,
        Command::FuzzFormats(args) => fuzz_formats::run(&args)?,
        Command::Pair(args) => pair::run(&args)?,
        Command::Run(args) => rigid::run(&args)?,
        Command::Chart(args) => chart::run(&args)?,
        Command::Report(args) => report::run(&args)?,
        Command::Compare(args) => compare::run(&args)?,
        Command::Published(args) => published::run(&args)?,
        Command::Missed(args) => missed_bars::run(&args)?,
        Command::Serve(args) => return own_runners::run(&args),
        Command::Guard => {
            process_guard::watch();
            return Ok(ExitCode::SUCCESS);
        }
        Command::EngineTruth(args) => engine_truth::run(&args)?,
        Command::AutoChoice(args) => engine_choice::run(&args)?,
        Command::ImpactTruth(args) => impact_truth::run(&args)?,
        Command::ConvexSpeed(args) => convex_speed::run(&args)?,
        Command::MixedPairs(args) => mixed_pairs::run(&args)?,
        Command::ConvexMethods(args) => convex_methods::run(&args)?,
        Command::ConvexTruth(args) => convex_truth::run(&args)?,
        Command::ExactVolume(args) => exact_volume::run(&args)?,
        Command::ClashTruth(args) => clash_truth::run(&args)?,
        Command::Ccd(args) => ccd::run(&args)?,
        Command::CloudInterpolationSearch(args) => clouds::run_brackets(&args)?,
        Command::CloudGraphs(args) => clouds::run_graphs(&args)?,
        Command::CloudPairs(args) => clouds::run_pairs(&args)?,
        Command::CloudSurface(args) => clouds::run_surface(&args)?,
        Command::Configurations(args) => configurations::run(&args)?,
        Command::Scenes(args) => scenes::run(&args)?,
        Command::SeparatingPlanes(args) => separating_planes::run(&args)?,
        Command::Kinetic(args) => kinetic::run(&args)?,
        Command::WorldStress(args) => world_stress::run(&args)?,
        Command::Scan(args) => scan::run(&args)?,
    };
    Ok(ExitCode::from(bar.exit_code()))
}
