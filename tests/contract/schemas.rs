//! The contract as schemas: what lies in `config/schema`, what is published, what is refused, what nobody but arbiters sees.

mod commands;
mod files;
mod messages;
mod secrets;
mod shown;
mod topics;
mod wrong;
