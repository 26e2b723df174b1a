//! Planar polygon faces, also with holes.
