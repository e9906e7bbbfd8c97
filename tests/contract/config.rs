//! The configuration: errors and their texts, and the order of files and environment variables.

mod both;
mod calibration;
mod errors;
mod layers;
mod random;
mod secrets;
mod shipped;
mod support;
mod whole;
