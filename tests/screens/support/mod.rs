//! No tests: a browser, brokers with users, rooms with and without boards, and messages that are made up.

pub(crate) mod axe;
pub(crate) mod base64;
pub(crate) mod broker;
pub(crate) mod browser;
pub(crate) mod daemon;
pub(crate) mod driver;
pub(crate) mod made_up;
pub(crate) mod room;
pub(crate) mod rulings;
pub(crate) mod witness;

pub(crate) use room::write_password;
