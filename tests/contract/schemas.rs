//! The contract as schemas: the files in `config/schema`, published messages, refused messages, fields for arbiters only.

mod commands;
mod files;
mod messages;
mod reader_1_0;
mod secrets;
mod shown;
mod topics;
mod wrong;
