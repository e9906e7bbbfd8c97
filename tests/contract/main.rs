//! The contract with arbiters and subscribers: the tables of the Laws, messages and their schemas, commands, the configuration.

#[path = "../support/mod.rs"]
mod support;

mod commands;
mod config;
mod device_health;
mod envelope;
mod laws;
mod outbox;
mod schemas;
