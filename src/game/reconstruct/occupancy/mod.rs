//! Boards that tell only where something stands (`reconstruct/README.md#3.5`).

mod evidence;
pub(crate) mod plausible;
pub(crate) mod promoted;
