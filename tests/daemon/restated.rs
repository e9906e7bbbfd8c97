//! What the daemon publishes about its own starts: the ids of events, `restated`, and its info.
#![cfg(feature = "broker")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::process::Command;

use flagfall::config::{Role, User};
use serde_json::json;

use crate::stale::{at_each_broker, loaded, run};
use crate::support::hall::TestHall;
use crate::support::hall::subscriber::ReceivedMessage;
use crate::support::schemas;

/// The events that say that numbers may have been given twice: topics below the version, ids and numbers.
fn restated(all: &[ReceivedMessage]) -> Vec<(String, String, u64)> {
    let is = |received: &&ReceivedMessage| received.message["type"] == "board.restated" || received.body()["what"] == "restated";
    let parts = |received: &ReceivedMessage| {
        schemas::validate(&received.topic, &received.bytes).unwrap_or_else(|problem| panic!("{problem}"));
        let id = received.message["id"].as_str().expect("an id").to_owned();
        assert_eq!(received.message["no"], received.body()["from"], "from its own number on");
        let topic = received.topic.trim_start_matches("flagfall/1/").to_owned();
        (topic, id, received.message["no"].as_u64().expect("a number"))
    };
    let mut found: Vec<_> = all.iter().filter(is).map(parts).collect();
    found.sort();
    found
}

#[test]
fn a_start_after_an_end_without_a_clean_stop_restates() {
    at_each_broker(|at, broker| {
        let hall = TestHall::new();
        let (journal, copy) = (hall.journal(), hall.path().join("copy"));
        // An event whose acknowledgement came after the end of its board is published again, with the same id.
        let seen = RefCell::new(BTreeSet::new());
        let start = |during: &dyn Fn()| {
            let mut all = Vec::new();
            run(loaded(&hall, at, &["b1"]), |subscriber| {
                during();
                all = subscriber.all();
            });
            let mut found = restated(&all);
            found.retain(|(topic, id, _)| seen.borrow_mut().insert((topic.clone(), id.clone())));
            found
        };
        assert_eq!(start(&|| ()), [], "{broker}: the first start");
        // A copy of a journal in use is what a kill leaves.
        let copied = || {
            let status = Command::new("cp").arg("-r").arg(&journal).arg(&copy).status();
            assert!(status.is_ok_and(|status| status.success()), "cp");
        };
        assert_eq!(start(&copied), [], "{broker}: after a clean stop");
        std::fs::remove_dir_all(&journal).expect("it is there");
        std::fs::rename(&copy, &journal).expect("it is there");
        let found = start(&|| ());
        let ids: Vec<String> = found.iter().map(|(_, _, number)| format!("ev-r1-bb1:3:{number}")).collect();
        let topics = ["arbiter/ev/1/b1/audit", "live/ev/1/b1/revision", "public/ev/1/b1/revision"];
        assert_eq!(found.iter().map(|(topic, ..)| topic.as_str()).collect::<Vec<_>>(), topics, "{broker}");
        assert_eq!(found.iter().map(|(_, id, _)| id.clone()).collect::<Vec<_>>(), ids, "{broker}");
        assert_eq!(start(&|| ()), [], "{broker}: after a clean stop again");
    });
}

#[test]
fn the_info_names_roles_rounds_and_delay() {
    at_each_broker(|at, broker| {
        let hall = TestHall::new();
        let mut loaded = loaded(&hall, at, &["b1"]);
        let user = |role, boards: &[&str]| User { role, boards: boards.iter().map(|board| (*board).to_owned()).collect() };
        let users =
            [("anna", user(Role::Arbiter, &["b1"])), ("carol", user(Role::Chief, &["b1"])), ("olga", user(Role::Operator, &[]))];
        loaded.config.user = users.map(|(name, user)| (name.to_owned(), user)).into();
        (loaded.config.event.delay, loaded.config.event.delay_moves) = (900, 2);
        run(loaded, |subscriber| {
            let info = subscriber.wait("the info", 0, |received| {
                received.topic.ends_with("/node/n1/info").then(|| (received.topic.clone(), received.message.clone()))
            });
            let body = &info.1["body"];
            let roles =
                json!({"anna": {"role": "arbiter", "boards": ["b1"]}, "carol": {"role": "chief"}, "olga": {"role": "operator"}});
            assert_eq!(body["roles"], roles, "{broker}");
            assert_eq!((&body["delay"], &body["delay_moves"], &body["rounds"]), (&json!(900), &json!(2), &json!(["ev/1"])));
            assert!(body.get("collects").is_none(), "{broker}: {body}");
            schemas::validate(&info.0, info.1.to_string()).unwrap_or_else(|problem| panic!("{problem}"));
        });
    });
}
