//! Sign of a polynomial in coordinates by integer arithmetic: the last resort of the predicates.
