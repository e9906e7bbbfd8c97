//! Wrong passwords at the embedded broker: they slow down the address that they come from, and lock no name.

use rumqttc::v5::mqttbytes::v5::ConnectReturnCode;
use tokio::task::JoinSet;

use super::{guarded_settings, login, login_as, start};
use crate::broker_strangers::raw::{Raw, connect};
use crate::websocket::WebSocket;

/// The reason "Connection rate exceeded" of MQTT 5.
const RATE_EXCEEDED: u8 = 0x9F;

#[tokio::test]
async fn guessing_is_slowed_down_and_locks_no_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    let at = running.tcp;
    for name in ["anna", "screen"] {
        for _ in 0..10 {
            let answer = login(at, "x", name, "wrong").await.err();
            assert_eq!(answer, Some(ConnectReturnCode::BadUserNamePassword));
        }
    }
    // The next password is compared when a second is over.
    login_as(at, "anna").await;
    let mut guess = connect("x", "screen", 0);
    *guess.last_mut().expect("a password") ^= 1;
    let mut crowd = JoinSet::new();
    for _ in 0..30 {
        let guess = guess.clone();
        crowd.spawn(async move { Raw::open(at, &guess).await.read_to_end().await });
    }
    // The others wait for a turn, or too long for a login.
    let mut too_many = 0;
    while too_many < 20 {
        let answer = crowd.join_next().await.expect("most of them are refused").expect("no panic");
        too_many += usize::from(answer.get(3) == Some(&RATE_EXCEEDED));
    }
    drop(crowd);
    running.stop().await;
}

#[tokio::test]
async fn guessing_elsewhere_does_not_lock_a_user_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = start(&guarded_settings(folder.path())).await;
    for _ in 0..11 {
        let mut page = WebSocket::open_as(running.websocket.expect("WebSocket is on"), "127.0.0.9", None).await.expect("opened");
        assert_ne!(page.connect("x", Some(("anna", "wrong"))).await, Some(0));
    }
    login_as(running.tcp, "anna").await;

    // Where anna has logged in, no number of guesses slows her down.
    for _ in 0..11 {
        let answer = login(running.tcp, "x", "anna", "wrong").await.err();
        assert_eq!(answer, Some(ConnectReturnCode::BadUserNamePassword));
    }
    login_as(running.tcp, "anna").await;
    running.stop().await;
}
