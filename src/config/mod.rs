//! Configuration: TOML files, then `FLAGFALL__SECTION__KEY` from the environment.
//!
//! Each file is checked by itself while line and column are still known; then the layers are put together, a later one over the
//! earlier ones, key by key; then what keys say together is checked. **Boards** (`[[board]]`) of the same id in several files are
//! one board, key by key; others are added. So one file can be the same on all machines of an event, and a second one of each
//! machine names its ports. Lists of texts are replaced as a whole.
//!
//! [`keys`] lists what there is, `config/flagfall.toml` explains it, [`load`] and [`load_default`] read it.

mod board;
mod checks;
mod environment;
mod file;
mod leaf;
mod load;
mod nearest;
mod place;
mod schema;
mod secrets;
mod types;
mod values;
mod warnings;

pub use board::{Board, Clock, Transport, WhiteClock};
pub use load::{EVENT_FILE, Loaded, MAIN_FILE, load, load_default};
pub use place::{Errors, Place, Problem};
pub use schema::keys;
pub use secrets::{password, unlock};
pub use types::{
    Broker, BrokerUser, Config, Discovery, Event, Guidelines, Journal, Level, Log, Mqtt, Node, Role, Rulings, User, rulebook,
};
pub use warnings::warnings;
