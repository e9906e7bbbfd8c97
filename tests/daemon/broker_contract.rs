//! One list of checks against the embedded broker and against mosquitto: the rest of the program relies on them, and both pass.

mod checks;

const OPEN: &str = "listener TCP 127.0.0.1
listener WEB 127.0.0.1
protocol websockets
allow_anonymous true
max_queued_messages 10000
set_tcp_nodelay true";

/// Makes two tests of each check, one for each broker; each test has a broker of its own.
macro_rules! contract {
    ($($check:ident),+ $(,)?) => {
        #[cfg(feature = "broker")]
        mod embedded {
            $(#[tokio::test]
            async fn $check() {
                let any = "127.0.0.1:0".to_owned();
                let broker = flagfall::config::Broker { tcp: any.clone(), websocket: any, ..Default::default() };
                let config = flagfall::config::Config { broker, ..Default::default() };
                let running = flagfall::broker::start(&config, "node-1").await.unwrap_or_else(|error| panic!("{error}"));
                let websocket = running.websocket.expect("WebSocket is on");
                super::checks::$check(super::checks::Broker { tcp: running.tcp, websocket }).await;
                running.stop().await;
            })+
        }

        mod mosquitto_process {
            $(#[tokio::test]
            async fn $check() {
                if let Some(running) = crate::support::mqtt::Mosquitto::with_files(super::OPEN, &[]) {
                    super::checks::$check(super::checks::Broker { tcp: running.tcp, websocket: running.websocket }).await;
                }
            })+
        }
    };
}

contract!(
    qos_is_the_lower_of_both,
    the_last_retained_message_is_kept,
    an_empty_payload_clears_a_retained_message,
    a_will_is_sent_after_its_delay_and_not_after_a_return,
    a_session_waits_with_its_queue,
    a_message_expires_in_the_queue,
    properties_pass_through,
    a_fresh_subscriber_gets_300_retained_topics,
    a_topics_order_is_kept,
    a_payload_of_100_kb_passes,
    mqtt_3_1_1_reads_the_same_payloads,
    websocket_and_tcp_are_one_broker,
);
