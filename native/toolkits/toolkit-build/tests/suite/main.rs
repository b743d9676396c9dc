//! Toolkits built, registered and run; the first-party ones on real data, with results typed by hand.

mod building;
mod first_party;
mod gates;
mod kill;
mod lanes;
mod yard;
