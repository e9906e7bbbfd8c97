//! Explains to people why a Bluetooth LE link has no device.

use std::fmt;

use super::Address;

/// The reason why a link has no device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// The system's message bus or its Bluetooth service does not answer.
    NoService(String),
    /// There is no adapter, or not the configured one.
    NoAdapter,
    /// The adapter is switched off.
    AdapterOff,
    /// The Bluetooth service is there but does not listen for advertisements.
    NoScan(String),
    /// The wanted device does not advertise.
    NotFound,
    /// Another link has it.
    Taken(Address),
    /// Several devices may be the wanted one.
    Several(Vec<(String, Address)>),
    /// The device is there and could not be used.
    Failed {
        /// Its address.
        address: Address,
        /// The step that failed, and the error.
        cause: String,
    },
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkProblem::NoService(cause) => write!(f, "the Bluetooth service does not answer: {cause}"),
            LinkProblem::NoAdapter => f.write_str("there is no Bluetooth adapter"),
            LinkProblem::AdapterOff => f.write_str("the Bluetooth adapter is switched off (`bluetoothctl power on`)"),
            LinkProblem::NoScan(cause) => write!(f, "the Bluetooth service does not search for devices: {cause}"),
            LinkProblem::NotFound => f.write_str("not found: no device that advertises is the wanted one"),
            LinkProblem::Taken(address) => write!(f, "{address}: another configured board or clock has this device"),
            LinkProblem::Several(devices) => {
                f.write_str("several devices may be the board; configure its address: ")?;
                let devices: Vec<_> = devices.iter().map(|(name, address)| format!("{name} ({address})")).collect();
                f.write_str(&devices.join(", "))
            }
            LinkProblem::Failed { address, cause } => write!(f, "{address}: {cause}"),
        }
    }
}
