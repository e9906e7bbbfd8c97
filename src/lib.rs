//! flagfall reads electronic chess boards and clocks, and publishes moves, times and rulings for programs and people.
//!
//! | module | for |
//! | --- | --- |
//! | [`wire`] | the MQTT messages: topics, JSON headers and bodies |
//! | [`journal`] | the log on disk; an input is written before it is handled, and an output before it is sent |
//! | [`arbiter`] | the commands of arbiters: rights, admission, replies |
//! | [`mqtt`] | the queue of outgoing messages, and the connection to the broker |
//! | [`publish`] | converts the effects (the outputs) of the game to messages |
//! | [`outputs`] | what broadcast receivers read, made from published states |
//! | [`event`] | the organiser's event: its file, imports, devices, results |
//! | `fleet` | everything that the machines of a hall need, made from the event's file |
//! | [`session`] | one board with its journal: input → driver → game → messages; the same input always gives the same messages |
//! | [`daemon`] | the threads: one station for each board, disk, worker, network |
//! | `collect` | the collector: it gathers the games of an event from the broker and sends them to broadcasts |
//! | [`config`] | the configuration: its keys and how it is read |
//! | [`calibration`] | the file with the data that a driver needs about one board |
//! | [`import`] | converts recordings of other programs to traces |
//! | [`random`] | random values that nobody can guess |
//! | `files` | files that are replaced as a whole, and those that are private |
//! | `listening` | why an address cannot be listened at |
//! | `log_limit` | the log lines that strangers can cause, one a minute of each kind |
//! | `strangers` | what connections and guesses of strangers cost |
//! | [`system_clock`] | the one place that reads the clocks of the operating system |
//! | [`broker`] | an MQTT broker in this program |
//! | `emulate` | simulated games on emulated boards |
//! | `http` | the only HTTP listener |
//! | `screens` | the pages for browsers, and their way to the broker |
//! | [`health`] | the state of this computer |
//! | [`cli`] | the commands of the command line |

// Test support that unit tests share with the test programs.
#[cfg(test)]
#[path = "../tests/support/nearly.rs"]
mod nearly;
#[cfg(test)]
#[path = "../tests/support/seeds.rs"]
mod seeds;

pub mod arbiter;
#[cfg(feature = "broker")]
pub mod broker;
pub mod calibration;
pub mod cli;
#[cfg(feature = "outputs")]
pub mod collect;
pub mod config;
pub mod daemon;
mod descriptors;
#[cfg(feature = "tools")]
pub mod emulate;
pub mod event;
mod files;
#[cfg(feature = "tools")]
pub mod fleet;
pub mod health;
#[cfg(any(feature = "outputs", feature = "screens"))]
pub mod http;
pub mod import;
pub mod journal;
mod listening;
mod log_limit;
pub mod mqtt;
pub mod outputs;
pub mod publish;
pub mod random;
#[cfg(feature = "screens")]
pub mod screens;
pub mod session;
#[cfg(any(feature = "broker", feature = "outputs", feature = "screens"))]
mod strangers;
pub mod system_clock;
pub mod wire;
