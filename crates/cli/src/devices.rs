//! `impinge devices`, and the choice of devices for other commands.

use anyhow::{Context, bail};
use impinge_gpu::{Backend, DeviceInfo, Devices, GpuError};
use serde::Serialize;

use crate::ExitAnswer;
use crate::number::count_of;
use crate::output::Output;

/// What to do where there is no adapter.
const NO_ADAPTER: &str = "no graphics adapter was found: a driver for Vulkan, Metal or Direct3D 12 is needed; \
                          Debian's mesa-vulkan-drivers brings one in software";

/// What to do where cards were left out.
const NOT_BUILT: &str = "this build leaves graphics cards out: build it with `--features gpu`; \
                         `--devices twin` runs the same kernels on the processor";

#[derive(Serialize)]
struct Record<'i> {
    number: usize,
    name: &'i str,
    driver: &'i str,
    software: bool,
}

/// Lists the adapters.
pub(crate) fn run(out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let devices = match Devices::all() {
        Ok(devices) => devices,
        Err(GpuError::NoAdapter) => {
            out.line(NO_ADAPTER)?;
            return Ok(ExitAnswer::No);
        }
        Err(GpuError::NotBuilt) => {
            out.line(NOT_BUILT)?;
            return Ok(ExitAnswer::No);
        }
        Err(error) => return Err(error.into()),
    };
    for (number, info) in devices.infos().iter().enumerate() {
        out.record(&Record {
            number,
            name: &info.name,
            driver: &info.driver,
            software: info.is_software,
        })?;
        out.line(format_args!("{number}  {}", described(info)))?;
    }
    let count = devices.infos().len();
    out.line(format_args!("{}", count_of(count, "adapter", "adapters")))?;
    Ok(ExitAnswer::Yes)
}

fn described(info: &DeviceInfo) -> String {
    let kind = if info.is_software {
        ", in software"
    } else {
        ""
    };
    format!("{} ({}{kind})", info.name, info.driver.trim())
}

/// The devices that are meant: all, so many of the first, the one with this number or a name that contains this, or the twins on the processor.
pub(crate) fn chosen(wanted: &str) -> anyhow::Result<Vec<Backend>> {
    if wanted == "twin" {
        return Ok(vec![Backend::twin()]);
    }
    let mut devices = match Devices::all() {
        Err(GpuError::NotBuilt) => bail!(NOT_BUILT),
        found => found.context(NO_ADAPTER)?,
    };
    let infos = devices.infos().to_vec();
    let numbers: Vec<usize> = match wanted.parse::<usize>() {
        _ if wanted == "all" => (0..infos.len()).collect(),
        Ok(0) => bail!("--devices 0 leaves nobody to answer"),
        // More than there are: logical devices of the same adapters, in turn.
        Ok(count) => (0..count).map(|k| k % infos.len().max(1)).collect(),
        Err(_) => {
            let is_meant = |info: &DeviceInfo| {
                let name = info.name.to_lowercase();
                name.contains(&wanted.to_lowercase())
            };
            (0..infos.len())
                .filter(|&k| infos.get(k).is_some_and(is_meant))
                .collect()
        }
    };
    if numbers.is_empty() {
        let names: Vec<String> = infos.iter().map(described).collect();
        bail!(
            "no adapter is called '{wanted}'; there are {}",
            names.join(", ")
        );
    }
    let open = |k: usize| -> anyhow::Result<Backend> { Ok(Backend::on(devices.open(k)?)) };
    numbers.into_iter().map(open).collect()
}
