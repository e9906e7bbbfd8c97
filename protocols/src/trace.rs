//! The line format of recordings and journals.
