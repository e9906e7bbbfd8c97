//! Shared code of several test programs: emulated boards and tables, brokers and subscribers, disks that lose data, schemas, tapes.
#![allow(dead_code, unused_imports, reason = "each test program uses a part of it")]

pub(crate) mod fake_disk;
pub(crate) mod hall;
pub(crate) mod mqtt;
pub(crate) mod nearly;
pub(crate) mod parts;
pub(crate) mod ports;
pub(crate) mod schemas;
pub(crate) mod seconds;
pub(crate) mod seeds;
pub(crate) mod table;
pub(crate) mod tapes;
pub(crate) mod waiting;
