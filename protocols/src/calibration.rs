//! Defines the calibration, which some families need for each device before they can read its bytes, and how a driver learns
//! it.
//!
//! A calibration is a text of items, separated by commas. An item contains no comma and no white space. The text fits into a
//! header line of a trace ([`MAX_VALUE`](crate::trace::MAX_VALUE)), because the bytes of the trace cannot be read without it.
//! Only the family knows the meaning of an item.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::driver::Driver;
use crate::square::{Piece, Square};

/// How a family gets the calibration of a device: a part of its row in the registry.
#[derive(Clone, Copy, Debug)]
pub struct Calibrated {
    /// Creates a driver with this calibration for one link.
    pub with: fn(&str) -> Result<Box<dyn Driver>, CalibrationError>,
    /// Creates a driver that learns the calibration from a device with the initial position on it ([`Driver::learned`]).
    pub learn: fn() -> Box<dyn Driver>,
    /// Spare pieces that can be shown to that driver one after another, each kind on its square.
    pub spares: &'static [(Square, Piece)],
}

/// The progress of learning a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The device has sent enough bytes for a result.
    pub heard: bool,
    /// The calibration, when all pieces of the initial position are known.
    pub calibration: Option<String>,
    /// The number of known pieces of the initial position: none or all.
    pub men: usize,
    /// The known spare pieces.
    pub spares: Vec<Piece>,
    /// Squares of the initial position on which no piece is read with certainty.
    pub unread: Vec<Square>,
    /// Other squares on which a piece is read.
    pub strange: Vec<Square>,
    /// Squares that show the same piece as another square.
    pub twice: Vec<Square>,
}

/// An error in a calibration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationError {
    /// The item, counted from 0. If an item is missing, this is the number of items.
    pub item: usize,
    /// The error, for people.
    pub message: String,
}

impl CalibrationError {
    /// Creates an error of this item.
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
