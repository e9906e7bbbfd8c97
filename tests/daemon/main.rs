//! The daemon among real parts: boards on pseudo-terminals, brokers, a D-Bus, cables that are pulled.

#[path = "../../hardware/tests/bluez/mod.rs"]
mod bluez;
#[path = "../bench/counting.rs"]
#[allow(dead_code, reason = "the benches use more of it")]
mod counting;
#[path = "../bench/stream.rs"]
#[allow(dead_code, reason = "the benches use more of it")]
mod stream;
#[path = "../support/mod.rs"]
mod support;
#[path = "../../hardware/tests/hid/usb.rs"]
mod usb;

mod access;
mod after_the_game;
mod bind_ask;
mod bluetooth;
mod broker;
mod broker_attack;
mod broker_contract;
mod broker_faults;
mod broker_strangers;
mod bus;
mod cable;
mod calibrate;
mod client;
mod collect;
mod commit_log;
mod contract;
mod daemon_faults;
mod decisions_in_play;
mod desk_results;
mod doctor;
mod end_to_end;
mod event_story;
#[cfg(feature = "tools")]
mod fleet;
mod health_published;
mod hid;
mod islands;
mod lichess;
mod live_and_public;
#[cfg(feature = "outputs")]
mod livechess;
mod log_limit;
mod mqtt_names;
mod mqtt_refused;
mod mqtt_session;
mod mqtt_session_faults;
mod mqtt_session_stop;
mod mqtt_session_tls;
mod program;
mod public_delay;
mod record;
mod record_bluetooth;
mod reload;
mod restated;
mod rig;
mod round_change;
mod round_games;
mod round_question;
mod rulings_published;
mod screens_logins;
mod screens_server;
mod secrets;
mod service;
mod stale;
mod unpaired;
mod until_press;
mod upgrade;
mod watch;
mod websocket;
mod wrong_clock;
