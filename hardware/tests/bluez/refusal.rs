//! The errors of BlueZ.

/// The reason for a refusal, by the names of BlueZ.
#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.bluez.Error")]
pub(super) enum Refusal {
    #[zbus(error)]
    ZBus(zbus::Error),
    DoesNotExist(String),
    Failed(String),
    InProgress(String),
    InvalidValueLength(String),
    NotConnected(String),
    NotReady(String),
    NotSupported(String),
}

impl Refusal {
    /// The adapter is switched off or gone.
    pub(super) fn not_ready() -> Refusal {
        Refusal::NotReady("Resource Not Ready".into())
    }

    /// Returns the error of BlueZ for a failed connection.
    pub(super) fn no_connection() -> Refusal {
        Refusal::Failed("le-connection-abort-by-local".into())
    }
}
