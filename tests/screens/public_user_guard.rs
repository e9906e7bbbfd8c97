//! Everybody who can load a page has the public user's password: it gives no more than the public messages.

use crate::rig::{Rig, Seat};
use crate::stage::made_up::{live_body, state, topic};
use crate::stage::room::Room;

#[test]
fn the_daemon_refuses_a_public_user_with_rights() {
    for (lines, why) in [
        ("", "has a role, [user.anna]"),
        (
            "[broker]\nenabled = true\ntcp = \"127.0.0.1:0\"\n[broker.user.anna]\npassword_file = 'PASSWORD'\nread = [\"flagfall/1/live/#\"]\n",
            "may read",
        ),
    ] {
        let rig = Rig::new(1, "", &[Seat { id: "b1", time_control: "60" }]);
        let password = rig.password("anna").display().to_string();
        // The second rig has no role for the name, so that the rule of the broker is what is refused.
        let text = std::fs::read_to_string(rig.config()).expect("a configuration");
        let text = if lines.is_empty() { text } else { text.replace("[user.anna]\nrole = \"arbiter\"\n", "") };
        std::fs::write(rig.config(), text).expect("a configuration");
        let screens = format!(
            "[screens]\nenabled = true\nlisten = \"127.0.0.1:0\"\npublic_user = \"anna\"\npublic_password_file = '{password}'\n"
        );
        rig.add(&(screens + &lines.replace("PASSWORD", &password)));
        assert_eq!(rig.start().wait().code(), Some(78), "{}", rig.log());
        let log = rig.log();
        assert!(log.contains("screens.public_user") && log.contains(why), "{log}");
    }
}

#[test]
fn the_public_user_gets_nothing_that_is_live() {
    let room = Room::new();
    let Some(browser) = room.browser("public_user") else { return };
    room.witness.publish_hall(&["1"]);
    browser.open("/wall/?audience=public");
    browser.shows("connected");
    let mut body = live_body();
    body["players"]["white"]["name"] = "Delayed".into();
    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", body));
    browser.shows("Delayed");
    assert!(!browser.text().contains("Beispiel"), "what is live is not there");
    browser.screenshot("wall");
    // Without a login of its own the live page shows nothing.
    browser.open("/wall/?audience=live");
    browser.wait("it asks who looks", "document.querySelector('form.login')");
    assert!(!browser.text().contains("Beispiel"));
}
