//! Trees that know how full their boxes are.

mod average_calibration;
mod average_case;
mod average_cells;
mod average_formulas;
mod average_order;
mod average_saved;
mod average_two_boundary;
