//! Configuration: TOML files, then `FLAGFALL__SECTION__KEY` from the environment.

mod types;

pub use types::{
    Board, Broker, BrokerUser, Config, Discovery, Event, Journal, Level, Log, Mqtt, Node, Profile, Role, User, WhiteClock,
};
