//! The pictures of `README.md`, made from the demonstration.

use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;

use serde_json::json;

use crate::stage::browser::Browser;
use crate::support::mqtt::{lines, wait_for};

/// Where `README.md` has them.
const FOLDER: &str = "src/screens/pictures";

#[test]
#[ignore = "writes files of the source tree: tests/screens/pictures"]
fn the_pictures_of_the_readme() {
    let mut demo = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    let mut demo = demo.args(["demo", "--plain", "--delay", "1"]).stdout(Stdio::piped()).spawn().expect("the demonstration runs");
    let printed = lines(demo.stdout.take().expect("its output"));
    let after = |what: &str, before: &str| {
        wait_for(&printed, what, |line| {
            let (_, rest) = line.split_once(before)?;
            Some(rest.split([' ', ',', '/']).next().unwrap_or_default().to_owned())
        })
    };
    let password = after("the login", "arbiter ");
    let origin = after("the address", "Screens at http://");
    if let Some(browser) = Browser::start("pictures", &origin) {
        take(&browser, &printed, &password);
    }
    demo.kill().expect("it runs");
    demo.wait().expect("it ends");
}

fn take(browser: &Browser, printed: &Receiver<String>, password: &str) {
    // The overlay lies over a still of one colour, in half of its usual size.
    browser.scene(960, 540);
    browser.cdp("Emulation.setDefaultBackgroundColorOverride", json!({"color": {"r": 52, "g": 84, "b": 78, "a": 1}}));
    browser.open("/overlay/?board=2&audience=public&layout=strip");
    browser.shows("Chiara");
    browser.wait("some moves are played", "/[4-9]\\. /.test(document.body.innerText)");
    browser.write_picture(&format!("{FOLDER}/overlay.png"));
    browser.cdp("Emulation.setDefaultBackgroundColorOverride", json!({}));

    browser.cdp(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 1280, "height": 420, "deviceScaleFactor": 1, "mobile": false}),
    );
    browser.log_in_with("/arbiter/", "arbiter", password);
    wait_for(printed, "the flag", |line| line.contains("WHITE FLAG").then_some(()));
    browser.shows_in(".need", "White flag");
    browser.write_picture(&format!("{FOLDER}/hall.png"));

    browser.phone(390, 844);
    browser.keys("n");
    browser.shows_in(".proposal", "BLACK WINS");
    browser.wait("both times", "/0:00[^]*0:0[1-9]/.test(document.body.innerText)");
    browser.wait("the answer about 6.9", "document.querySelector('#choice-confirm:enabled')");
    browser.write_picture(&format!("{FOLDER}/ruling.png"));
}
