//! The driver to copy.
