//! Models made by formula: exact face counts by parameter, seeded where random.
