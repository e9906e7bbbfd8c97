//! Configuration: what is refused, with which words, and how files and environment lie over each other.

#[path = "config/calibration.rs"]
mod calibration;
#[path = "config/errors.rs"]
mod errors;
#[path = "config/layers.rs"]
mod layers;
#[path = "config/random.rs"]
mod random;
#[path = "config/secrets.rs"]
mod secrets;
#[path = "config/shipped.rs"]
mod shipped;
#[path = "config/support.rs"]
mod support;
#[path = "config/whole.rs"]
mod whole;
