//! A pose for every instant of a step.
