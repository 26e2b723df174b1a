//! Closed intervals with outward rounding.
