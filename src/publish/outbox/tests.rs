//! Random interleavings against a model.
