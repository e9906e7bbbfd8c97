//! The connection of a page: lost and back, both brokers, wrong passwords, other hosts.

use serde_json::Value;

use crate::stage::broker::Broker;
use crate::stage::browser::Browser;
use crate::stage::made_up::{alert_body, live_body, state, topic};
use crate::stage::room::Room;
use crate::support::ports::free_address;

#[test]
fn offline_and_back_without_a_reload() {
    let room = Room::new();
    let Some(browser) = room.browser("offline_and_back") else { return };
    room.witness.publish_hall(&["1", "2"]);
    room.witness.publish_alert("1", alert_body(1, "flag", "loud"));
    room.witness.publish_ruling("1", crate::stage::rulings::proposed());
    browser.log_in("/arbiter/", "anna");
    browser.shows_in(".need", "Flag");
    browser.open("/arbiter/?board=1&view=ruling");
    browser.wait("Confirm is enabled", "document.querySelector('#choice-confirm:enabled')");
    browser.run("window.sameLoad = true;", &Value::Null);

    room.proxy.close();
    browser.shows("Offline since");
    browser.wait("no button of a ruling is enabled", "!document.querySelector('.choices button:enabled')");
    browser.shows_in("#choice-confirm", "no connection");
    browser.is_accessible("offline");
    browser.screenshot("offline");
    // The alarm is closed while the page is away.
    room.witness.clear(&topic("arbiter", "1", "alert/1"));
    room.proxy.open();
    browser.shows_in(".link-state", "live");
    browser.gone(".banner");
    browser.wait("Confirm is enabled again", "document.querySelector('#choice-confirm:enabled')");
    browser.keys(crate::stage::browser::ESCAPE);
    browser.wait("the hall", "document.querySelector('main.hall')");
    browser.gone(".need:not(.closed)");
    assert_eq!(browser.get("window.sameLoad"), true, "the page was not loaded again");
    browser.screenshot("back");
}

#[test]
fn a_login_at_mosquitto() {
    login(Room::new(), "login-mosquitto");
}

#[test]
fn a_login_at_the_embedded_broker() {
    login(Room::with(Broker::embedded()), "login-embedded");
}

/// A wrong password, the right one, a topic that may not be read, and a connection that is cut.
fn login(room: Room, test: &'static str) {
    let Some(browser) = room.browser(test) else { return };
    room.witness.publish_hall(&["1"]);
    browser.open("/arbiter/");
    browser.wait("the form", "document.querySelector('form.login button.primary:enabled')");
    browser.fill("[name=user]", "anna");
    browser.fill("[name=password]", "guessed");
    browser.fill("[name=pin]", "4711");
    browser.is_accessible("the login");
    browser.click("form.login button.primary");
    browser.shows("User or password is wrong.");
    browser.screenshot("wrong-password");
    assert!(!kept(&browser).contains("guessed"), "a wrong password is not kept: {}", kept(&browser));
    browser.fill("[name=password]", "secret of anna");
    browser.click("form.login button.primary");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    nothing_secret_is_kept(&browser);
    assert!(!browser.get("location.href + document.title + document.cookie").to_string().contains("secret"));
    room.proxy.cut();
    browser.shows_in(".link-state", "live");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.screenshot("logged-in");
    // The token opens a page that is loaded again, and no other page after the user has left.
    browser.open("/arbiter/");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    nothing_secret_is_kept(&browser);
    let token = browser.get("sessionStorage.getItem('flagfall-staff')");
    browser.keys("L");
    browser.wait("it is locked", "document.querySelector('.locked')");
    browser.click_nth(".keypad button", "Log out");
    browser.wait("the form", "document.querySelector('form.login')");
    assert!(!kept(&browser).contains("flagfall-token-"), "nothing is kept: {}", kept(&browser));
    browser.run("sessionStorage.setItem('flagfall-staff', arguments[0]);", &token);
    browser.open("/arbiter/");
    browser.shows("Log in again.");
}

/// Neither the password nor the PIN, and something that opens the page.
#[track_caller]
fn nothing_secret_is_kept(browser: &Browser) {
    let kept = kept(browser);
    assert!(kept.contains("flagfall-token-"), "the login is kept for this tab: {kept}");
    assert!(!kept.contains("secret") && !kept.contains("4711"), "{kept}");
}

/// Everything in the storages of the browser.
fn kept(browser: &Browser) -> String {
    browser.get("JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)])").to_string()
}

/// Pages on another web server connect without our relay, and have no token.
#[test]
fn without_a_relay_a_login_ends_with_the_page() {
    let web = free_address();
    let room = Room::with_websocket(Broker::embedded_at(web.to_string()), Some(format!("ws://{web}/mqtt")));
    let Some(browser) = room.browser("no_relay") else { return };
    room.witness.publish_hall(&["1"]);
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.open("/wall/?audience=live");
    browser.wait("the form", "document.querySelector('form.login')");
    assert_eq!(browser.get("document.querySelector('form.login .tick')"), Value::Null, "nothing can be kept on the device");
    browser.log_in_to_watch("tom");
    browser.shows("Beispiel");
    assert!(!kept(&browser).contains("anna") && !kept(&browser).contains("tom"), "{}", kept(&browser));
    for page in ["/arbiter/", "/wall/?audience=live"] {
        browser.open(page);
        browser.wait("it asks again", "document.querySelector('form.login')");
    }
}

#[test]
fn a_page_of_another_origin_and_another_name_are_refused() {
    let room = Room::new();
    let Some(browser) = room.browser("other_origin") else { return };
    let attempt = format!(
        "const socket = new WebSocket('ws://{}/mqtt', 'mqtt');
         return await new Promise(done => {{ socket.onopen = () => done('open'); socket.onerror = () => done('refused'); }});",
        room.address
    );
    // The origin of a blank page is `null`, and no policy of ours holds there.
    browser.open("about:blank");
    assert_eq!(browser.run_async(&attempt), "refused");
    browser.open("/wall/");
    assert_eq!(browser.run_async(&attempt), "open");
    // A name that an attacker lets point at this machine.
    browser.open(&format!("http://evil.example:{}/wall/", room.address.port()));
    assert_eq!(browser.get("performance.getEntriesByType('navigation')[0].responseStatus"), 421);
    assert_eq!(browser.get("document.scripts.length"), 0);
}

/// The broker inside the program refuses a subscription; a page names what is missing, and shows the rest.
#[test]
fn a_topic_that_the_broker_refuses_is_named() {
    let room = Room::with(Broker::embedded());
    let Some(browser) = room.browser("refused-topic") else { return };
    room.witness.publish_hall(&["1"]);
    browser.log_in("/arbiter/", "tom");
    browser.shows_in(".banner", "User tom may not read arbiter/: ask whoever keeps the broker’s rules.");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.is_accessible("a refused topic");
    browser.screenshot("hall");
    browser.open("/board/?board=1&audience=live");
    browser.log_in_to_watch("screen-1");
    browser.shows("User screen-1 may not read live");
    browser.is_accessible("a refused audience");
    browser.screenshot("board");
}

/// Who typed a login for what is live still sees the public pages as everybody does.
#[test]
fn each_audience_has_a_login_of_its_own() {
    let room = Room::with(Broker::embedded());
    let Some(browser) = room.browser("audiences") else { return };
    room.witness.publish_hall(&["1"]);
    let mut delayed = live_body();
    delayed["players"]["white"]["name"] = "Delayed".into();
    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", delayed));
    browser.open("/wall/?audience=live");
    // He may not read what is public.
    browser.log_in_to_watch("tom");
    browser.shows("Beispiel");
    browser.open("/wall/?audience=public");
    browser.shows("Delayed");
    browser.open("/wall/?audience=live");
    browser.shows("Beispiel");
    browser.screenshot("live");
}
