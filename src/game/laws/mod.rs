//! What the Laws say of what happened: findings, never decisions (`laws.md` section 2).

pub mod answering;
pub mod diagram;
pub mod finding;
pub mod proof;
pub mod rulebook;
pub(crate) mod table;
#[cfg(test)]
mod tests;
pub mod winnable;
