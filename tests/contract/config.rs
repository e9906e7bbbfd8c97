//! Configuration: what is refused, with which words, and how files and environment lie over each other.

mod calibration;
mod errors;
mod layers;
mod random;
mod secrets;
mod shipped;
mod support;
mod whole;
