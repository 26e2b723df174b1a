//! D. Mainzer, dissertation on collision detection of dynamically deforming objects.

use super::entry::Place::{All, Bar, Line, Rate, Row, Verdict};
use super::entry::{Entry, entry};

const DEFORM: &str = "`impinge-bench run deform` measures it";
const QUALITY: &str = "`impinge-bench run quality` measures it";

pub(super) const FIGURES: &[Entry] = &[
    entry(
        "5.1",
        "cloth on ball, 92 000 + 760 triangles, 93 frames",
        "20.24 ms on a GTX 480; others 18.6, 36.6, 23.2, 32.5 ms on other machines",
        &[
            Bar("deform", &["ball", "gtx 480"]),
            Bar("deform", &["gtx 480"]),
        ],
        DEFORM,
    ),
    entry(
        "5.2",
        "funnel, 14 400 + 2 000 + 1 700 triangles, 500 frames",
        "6.53 ms on a GTX 480; others 4.4 and 6.7 ms",
        &[
            Bar("deform", &["funnel", "gtx 480"]),
            Bar("deform", &["funnel", "times as fast"]),
        ],
        DEFORM,
    ),
    entry(
        "5.1b",
        "triangles a second, cloth and funnel",
        "4.58 and 2.77 million",
        &[All(&[
            Rate("cloth", 92_760.0, &Bar("deform", &["ball/free", "gtx 480"])),
            Rate(
                "funnel",
                18_100.0,
                &Bar("deform", &["funnel/free", "gtx 480"]),
            ),
        ])],
        "`impinge-bench run deform` measures the time of a frame, of which it is the inverse",
    ),
    entry(
        "5.1c",
        "missed pairs",
        "not judged; the rule of the source misses some when sizes differ",
        &[Bar("deform", &["differ from brute force"])],
        DEFORM,
    ),
    entry(
        "5.1d",
        "two clusters beside one, the sweep axis of principal components",
        "fewer candidates",
        &[All(&[
            Bar("deform", &["two clusters"]),
            Bar("deform", &["principal axis"]),
        ])],
        DEFORM,
    ),
    entry(
        "4.6a",
        "hierarchies by batch neural gas on the graphics card",
        "15x the processor",
        &[Line("volume", &["neural gas: sequential"])],
        "there is no graphics card in these records; `impinge-bench run volume` measures the same on one core and on two",
    ),
    entry(
        "4.6b",
        "queries of that hierarchy beside a split at extreme balls",
        "over 4x, beside greedy 1.2x",
        &[All(&[
            Line("volume", &["times the time of neural gas"]),
            Verdict("volume", &["extreme split"]),
        ])],
        "`impinge-bench run volume` measures it",
    ),
    entry(
        "5.3",
        "quality: σ_F I, σ_T III, γ_F II, ν",
        "VPS 0.043, 0.169, 2.40°, 0.620; IST 0.176, 0.112, 7.64°, 1.12",
        &[All(&[
            Row("quality", &["published figures", "sigma_f"]),
            Row("quality", &["published figures", "sigma_t"]),
            Row("quality", &["published figures", "gamma_f"]),
            Row("quality", &["published figures", "nu of"]),
        ])],
        QUALITY,
    ),
    entry(
        "5.5",
        "size of a full suite",
        "86 objects, 65 million tests per library, 5600 processor days",
        &[All(&[
            Bar("configurations", &["everyday preset"]),
            Bar("configurations", &["tolerance"]),
            Bar("configurations", &["every configuration of"]),
            Bar("performance", &["configuration"]),
        ])],
        "`impinge-bench configurations` enumerates it",
    ),
];
