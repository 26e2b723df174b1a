//! The Rust code in the guide, compiled and run as documentation tests.

macro_rules! pages {
    ($($name:ident $file:literal),* $(,)?) => {
        $(
            #[doc = include_str!(concat!("../../../docs/guide/", $file))]
            struct $name;
        )*
    };
}

pages! {
    Answers "results.md",
    BroadPhases "broad-phases.md",
    Clashes "clash.md",
    Clouds "clouds.md",
    Contacts "contacts.md",
    Deforming "vertex-animation.md",
    Files "files.md",
    FirstProgram "first-program.md",
    Forces "forces.md",
    Models "models.md",
    Motion "continuous-collision.md",
    Packing "packing.md",
    Placing "poses-and-queries.md",
    Primitives "primitives.md",
    Rays "rays.md",
    Robots "robots-and-scans.md",
    World "world.md",
}
