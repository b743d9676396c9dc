//! Lanes end to end, with the compilers that `make lanes` leaves.

mod suite;
