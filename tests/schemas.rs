//! The contract as schemas: what lies in `config/schema`, what is published, what is refused, what nobody but arbiters sees.

mod support;

#[path = "support/schemas.rs"]
mod schemas;

#[allow(dead_code, reason = "the tests of commands use more of it")]
#[path = "commands/desk.rs"]
mod desk;
#[allow(dead_code, reason = "the tests of emulated games use more of it")]
#[path = "emulate/table.rs"]
mod table;

#[path = "schemas/commands.rs"]
mod commands;
#[path = "schemas/files.rs"]
mod files;
#[path = "schemas/messages.rs"]
mod messages;
#[path = "schemas/secrets.rs"]
mod secrets;
#[path = "schemas/shown.rs"]
mod shown;
#[path = "schemas/topics.rs"]
mod topics;
#[path = "schemas/wrong.rs"]
mod wrong;
