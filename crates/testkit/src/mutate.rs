//! Seeded damage to the bytes of a file.
