//! What some families must be told about each device before its bytes mean something, and how that is learned.
//!
//! A calibration is text: items without a comma or white space in them, with commas between two. It fits into a header line of a
//! trace ([`MAX_VALUE`](crate::trace::MAX_VALUE)), since without it nobody could read the bytes again. Only the family knows
//! what an item means.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::driver::Driver;
use crate::square::{Piece, Square};

/// How a family is told about one device: a part of its row in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Calibrated {
    /// Makes a driver for one link that is told this.
    pub with: fn(&str) -> Result<Box<dyn Driver>, CalibrationError>,
    /// Makes a driver that learns it of a device on which the initial position stands ([`Driver::learned`]).
    pub learn: fn() -> Box<dyn Driver>,
    /// Spare men that may be shown to that driver, each kind on its square, one after another.
    pub spares: &'static [(Square, Piece)],
}

/// How far the learning of a device is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The device has sent enough to say anything.
    pub heard: bool,
    /// The calibration, once all men of the initial position are known.
    pub calibration: Option<String>,
    /// Men of the initial position that are known: none or all.
    pub men: usize,
    /// Spare men that are known.
    pub spares: Vec<Piece>,
    /// Squares of the initial position on which no man is read for certain.
    pub unread: Vec<Square>,
    /// Other squares on which something is read.
    pub strange: Vec<Square>,
    /// Squares that show the same man as another.
    pub twice: Vec<Square>,
}

/// What is wrong with a calibration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationError {
    /// The item, counted from 0; as many as there are if what is wrong is what is missing.
    pub item: usize,
    /// What is wrong with it, for people.
    pub message: String,
}

impl CalibrationError {
    /// This item is wrong.
    pub fn new(item: usize, message: impl Into<String>) -> CalibrationError {
        CalibrationError { item, message: message.into() }
    }
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {}: {}", self.item + 1, self.message)
    }
}

impl core::error::Error for CalibrationError {}
