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
    Clouds "clouds.md",
    FirstProgram "first-program.md",
    Forces "forces.md",
    Models "models.md",
    Motion "continuous-collision.md",
    Packing "packing.md",
    Placing "poses-and-queries.md",
    Primitives "primitives.md",
    World "world.md",
}
