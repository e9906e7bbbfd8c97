//! What is promised to arbiters and subscribers: the Laws' tables, messages and their schemas, commands, the configuration.

#[path = "../support/mod.rs"]
mod support;

mod commands;
mod config;
mod device_health;
mod envelope;
mod laws;
mod outbox;
mod schemas;
