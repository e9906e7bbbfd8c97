//! Loads and checks the configuration: first TOML files, then `FLAGFALL__SECTION__KEY` from the environment.
//!
//! Each file is checked separately while line and column are still known. Then the files are combined, and a later file replaces
//! values of earlier ones, key by key. Then keys that depend on each other are checked. **Boards** (`[[board]]`) with the same id
//! in several files are one board, key by key. Boards with other ids are added. So one file can be the same on all machines of an
//! event, and a second file on each machine names its ports. Outputs (`[[output]]`) are combined by name in the same way. Lists of
//! texts are replaced as a whole.
//!
//! [`keys`] lists all keys, `config/flagfall.toml` explains them, [`load()`] and [`load_default`] read them.

mod board;
mod broker_user;
mod broker_users;
mod certificates;
mod checks;
mod environment;
mod file;
mod fleet;
#[cfg(feature = "tools")]
mod fleet_checks;
mod leaf;
mod listeners;
mod load;
mod nearest;
mod node_name;
mod output;
mod output_checks;
mod place;
mod schema;
mod screens;
mod secrets;
mod shown;
mod time_control;
mod types;
mod values;
#[cfg(feature = "tools")]
mod venue;
mod warnings;

pub use board::{Board, Clock, Transport, WhiteClock};
#[cfg(feature = "broker")]
pub(crate) use broker_user::password_of;
pub(crate) use certificates::{ENDS_SOON as CERTIFICATE_ENDS_SOON, client as tls_client, end_of as end_of_certificate};
#[cfg(feature = "screens")]
pub(crate) use certificates::{client_without_certificate as tls_client_without_certificate, server as tls_server};
pub(crate) use environment::journal_stream;
#[cfg(feature = "outputs")]
pub(crate) use environment::of_commands;
#[cfg(feature = "tools")]
pub(crate) use fleet::MACHINES_PORT;
pub use fleet::{Fleet, FleetBroker, FleetNode, FleetRole, FleetUser, Valid};
pub use listeners::LISTENERS;
pub use load::{EVENT_FILE, Loaded, MAIN_FILE, load, load_default, load_to_serve};
pub use node_name::node_name;
#[cfg(feature = "outputs")]
pub(crate) use output::PLACEHOLDERS;
pub use output::{Collect, Output, OutputAudience, OutputKind, OutputProfile};
pub use place::{Errors, Place, Problem};
pub use schema::keys;
pub use screens::Screens;
pub use secrets::{password, unlock};
pub use shown::Shown;
pub use time_control::{InWords, time_controls};
pub use types::{
    Broker, BrokerUser, Config, Discovery, Event, Guidelines, Http, Journal, Level, LiveChess, Log, Mqtt, Node, Role, Rulings,
    User, rulebook,
};
#[cfg(all(feature = "broker", any(feature = "outputs", feature = "screens")))]
pub(crate) use values::loopback;
#[cfg(feature = "outputs")]
#[cfg(feature = "tools")]
pub(crate) use values::web_address;
#[cfg(feature = "tools")]
pub use venue::{Venue, load_venue, node_config};
pub use warnings::warnings;
