//! The exception for all errors of the library.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

pyo3::create_exception!(
    impinge,
    Error,
    PyValueError,
    "Why impinge refused: bad input, a question that cannot be asked, or a file that cannot be read.\n\n\
     >>> import impinge\n\
     >>> try:\n\
     ...     impinge.Ball(-1.0)\n\
     ... except impinge.Error as refused:\n\
     ...     print(refused)\n\
     radius must be above 0 and at most 1.42724769270596e45, found -1\n"
);

/// The exception with the library's own sentence, in Python's names.
pub(crate) fn fail(why: impl Display) -> PyErr {
    let why = why.to_string();
    Error::new_err(why.replace("Pose::nearest", "impinge.nearest_pose"))
}
