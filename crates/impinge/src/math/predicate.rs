//! Exact signs of orientation determinants, a static filter in front.
