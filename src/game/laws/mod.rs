//! What the Laws say of what happened: findings, never decisions (`laws.md` section 2).

pub mod answering;

pub mod finding;
pub mod plain;
pub mod proof;
pub mod rulebook;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod why;
pub mod winnable;
