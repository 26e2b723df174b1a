//! Eigenvalues and eigenvectors of symmetric 3×3 matrices.
