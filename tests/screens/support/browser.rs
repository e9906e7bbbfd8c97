//! A browser with one page, for one test at a time.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use flagfall::system_clock::monotonic;
use serde_json::{Value, json};

use super::driver::{Driver, LOOK_AGAIN, Seat, browser, has_browser};
use crate::support::waiting::pause;

const ARGUMENTS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
    "--window-size=1280,900",
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
];

/// What a page is given before its own scripts run: a clock that a test moves, the tones that are started, what the policy blocks. On a
/// busy machine nobody may touch a page for a minute: it must not lock itself.
const BEFORE: &str = "
    try {
        localStorage.setItem('flagfall-lock-after', '0');
    } catch {
        // A blank page has no storage.
    }
    window.test = { later: 0, tones: [], blocked: [] };
    const now = Date.now.bind(Date);
    Date.now = () => (window.test.stopped ?? now()) + window.test.later;
    addEventListener('securitypolicyviolation', event => window.test.blocked.push(`${event.violatedDirective} ${event.blockedURI}`));
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        window.test.tones.push(this.frequency.value);
        return start.apply(this, when);
    };";

/// The longest wait for a page.
const PATIENCE: Duration = Duration::from_secs(45);

/// Keys as WebDriver names them.
pub(crate) const ENTER: &str = "\u{E007}";
pub(crate) const ESCAPE: &str = "\u{E00C}";
pub(crate) const TAB: &str = "\u{E004}";

/// A browser session. When it is dropped, it fails if a policy of the page blocked something or a script threw; otherwise the next test may
/// have it.
pub(crate) struct Browser {
    driver: Arc<Driver>,
    _seat: Seat,
    session: String,
    /// It has the logs that most tests need.
    ordinary: bool,
    /// The address of the server of the pages.
    pub(crate) origin: String,
    name: &'static str,
}

impl Browser {
    /// A browser for the test of this name; none if the machine has none and that is allowed.
    pub(crate) fn start(name: &'static str, origin: impl std::fmt::Display) -> Option<Browser> {
        Browser::with_logs(name, origin, &json!({"browser": "ALL"}), &Value::Null)
    }

    /// A browser that also notes what the pages load and receive: [`Browser::network`].
    pub(crate) fn with_network(name: &'static str, origin: impl std::fmt::Display) -> Option<Browser> {
        Browser::with_logs(name, origin, &json!({"performance": "ALL", "browser": "ALL"}), &Value::Null)
    }

    /// The same with these logs of chromedriver, and `perfLoggingPrefs` for the log of the performance.
    pub(crate) fn with_logs(
        name: &'static str,
        origin: impl std::fmt::Display,
        logs: &Value,
        performance: &Value,
    ) -> Option<Browser> {
        if !has_browser() {
            return None;
        }
        let (driver, seat) = Driver::get();
        let ordinary = logs.get("performance").is_none();
        let idle = if ordinary { driver.take_idle() } else { None };
        let session = idle.unwrap_or_else(|| Browser::new_session(&driver, logs, performance));
        let browser = Browser { driver, _seat: seat, session, ordinary, origin: format!("http://{origin}"), name };
        browser.before_each_page(BEFORE);
        Some(browser)
    }

    fn new_session(driver: &Driver, logs: &Value, performance: &Value) -> String {
        let mut options = json!({"binary": browser(), "args": ARGUMENTS});
        if !performance.is_null() {
            options["perfLoggingPrefs"] = performance.clone();
        }
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "timeouts": {"script": 120_000, "pageLoad": 120_000},
            "goog:chromeOptions": options,
            "goog:loggingPrefs": logs,
        }}});
        let session = driver.call("POST", "session", &capabilities).unwrap_or_else(|error| panic!("a browser: {error}"));
        session["sessionId"].as_str().expect("a session").to_owned()
    }

    /// Runs a script in each page before the scripts of the page.
    pub(crate) fn before_each_page(&self, script: &str) {
        self.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": script}));
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        self.driver.call(method, &format!("session/{}/{path}", self.session), body)
    }

    /// A command of the Chrome DevTools Protocol.
    pub(crate) fn cdp(&self, command: &str, parameters: Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.call("POST", "goog/cdp/execute", &body).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Loads a page of our server.
    pub(crate) fn open(&self, path: &str) {
        let url = if path.contains(':') { path.to_owned() } else { format!("{}{path}", self.origin) };
        self.call("POST", "url", &json!({"url": url})).unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Runs the body of a function in the page; `arguments[0]` is `argument`.
    pub(crate) fn run(&self, script: &str, argument: &Value) -> Value {
        self.try_run(script, argument).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    fn try_run(&self, script: &str, argument: &Value) -> Result<Value, String> {
        self.call("POST", "execute/sync", &json!({"script": script, "args": [argument]}))
    }

    /// Runs the body of an async function in the page.
    pub(crate) fn run_async(&self, script: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             (async () => {{ {script} }})().then(value => done({{ value }}), error => done({{ error: String(error) }}));"
        );
        let answer = self.call("POST", "execute/async", &json!({"script": script, "args": []}));
        let answer = answer.unwrap_or_else(|error| panic!("{script}: {error}"));
        assert!(answer["error"].is_null(), "{script}: {}", answer["error"]);
        answer["value"].clone()
    }

    /// The value of an expression.
    pub(crate) fn get(&self, expression: &str) -> Value {
        self.run(&format!("return {expression};"), &Value::Null)
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, expression: &str) {
        self.wait_for(what, PATIENCE, expression);
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, what: &str, bound: Duration, expression: &str) {
        let until = monotonic().after(bound);
        let script = format!("return Boolean({expression});");
        loop {
            // A page that is just being loaded has no elements.
            if self.try_run(&script, &Value::Null) == Ok(Value::Bool(true)) {
                return;
            }
            if monotonic() > until {
                self.screenshot("failed");
                panic!(
                    "not within {bound:?}: {what} ({expression}); faults: {}\nthe page reads:\n{}",
                    self.faults(),
                    self.text()
                );
            }
            pause(LOOK_AGAIN);
        }
    }

    /// Waits until the page shows a text somewhere; capitals do not matter, as a style sheet may change them.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        self.wait(
            &format!("the page shows `{text}`"),
            &format!("document.body.innerText.toLowerCase().includes({})", Value::from(text.to_lowercase())),
        );
    }

    /// Waits until a part of the page shows a text.
    #[track_caller]
    pub(crate) fn shows_in(&self, css: &str, text: &str) {
        let expression = format!(
            "[...document.querySelectorAll({})].some(one => one.innerText.replace(/\\s+/g, ' ').toLowerCase().includes({}))",
            Value::from(css),
            Value::from(text.to_lowercase())
        );
        self.wait(&format!("`{css}` shows `{text}`"), &expression);
    }

    /// Waits until no such element is visible.
    #[track_caller]
    pub(crate) fn gone(&self, css: &str) {
        self.wait(
            &format!("`{css}` is gone"),
            &format!("![...document.querySelectorAll({})].some(one => one.checkVisibility())", Value::from(css)),
        );
    }

    /// Waits until a diagram has the men of this position, as they are drawn.
    #[track_caller]
    pub(crate) fn draws(&self, css: &str, fen: &str) {
        let placement = fen.split(' ').next().unwrap_or_default();
        let read = format!(
            "(() => {{
                const letters = {{ pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' }};
                const men = {{}};
                for (const piece of document.querySelector({})?.querySelectorAll('piece:not(.ghost, .fading)') ?? []) {{
                    const [color, role] = piece.className.split(' ');
                    men[piece.cgKey] = color === 'white' ? letters[role].toUpperCase() : letters[role];
                }}
                const ranks = [8, 7, 6, 5, 4, 3, 2, 1].map(rank => [...'abcdefgh'].map(file => men[file + rank] ?? '1').join(''));
                return ranks.join('/').replace(/1+/g, empty => empty.length);
            }})()",
            Value::from(css)
        );
        self.wait(&format!("`{css}` shows {placement}"), &format!("{read} === {}", Value::from(placement)));
    }

    /// All visible text of the page.
    pub(crate) fn text(&self) -> String {
        self.get("document.body?.innerText ?? ''").as_str().unwrap_or_default().to_owned()
    }

    /// Waits for an element that can be used, and clicks it.
    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        self.click_nth(css, "");
    }

    /// Clicks the first element of these that has this text.
    #[track_caller]
    pub(crate) fn click_nth(&self, css: &str, text: &str) {
        let find = format!(
            "[...document.querySelectorAll({})].find(one => one.checkVisibility() && !one.disabled && one.innerText.includes({}))",
            Value::from(css),
            Value::from(text)
        );
        self.wait(&format!("`{css}` with `{text}` can be clicked"), &find);
        // A click of the mouse, as one of a script is none for a browser that wants a gesture before a sound.
        let at = self.run(
            &format!(
                "const one = {find}; one.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                 const {{ x, y, width, height }} = one.getBoundingClientRect(); return [x + width / 2, y + height / 2];"
            ),
            &Value::Null,
        );
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.cdp(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}),
            );
        }
    }

    /// Types keys into what has the focus.
    pub(crate) fn keys(&self, keys: &str) {
        let mut steps = Vec::new();
        for key in keys.chars() {
            steps.push(json!({"type": "keyDown", "value": key}));
            steps.push(json!({"type": "keyUp", "value": key}));
        }
        let body = json!({"actions": [{"type": "key", "id": "keys", "actions": steps}]});
        self.call("POST", "actions", &body).unwrap_or_else(|error| panic!("keys: {error}"));
    }

    /// Puts the focus on a field and types into it.
    #[track_caller]
    pub(crate) fn fill(&self, css: &str, text: &str) {
        let element = format!("document.querySelector({})", Value::from(css));
        self.wait(&format!("`{css}` is there"), &element);
        self.run(&format!("{element}.focus(); {element}.select?.();"), &Value::Null);
        self.keys(text);
    }

    /// The screen of a telephone.
    pub(crate) fn phone(&self, width: u32, height: u32) {
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": true}),
        );
        self.cdp("Emulation.setTouchEmulationEnabled", json!({"enabled": true}));
    }

    /// A window of this size, as a television or a browser source of OBS has it.
    pub(crate) fn scene(&self, width: u32, height: u32) {
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
    }

    /// Stops the clock of the page until it is loaded again: from now on only [`Browser::later`] moves it, however busy the machine is.
    pub(crate) fn stop_clock(&self) {
        self.run("test.stopped = Date.now() - test.later;", &Value::Null);
    }

    /// Moves the clock of the page forward.
    pub(crate) fn later(&self, time: Duration) {
        self.run("test.later += arguments[0];", &Value::from(time.as_millis() as u64));
    }

    /// A PNG of what is seen, as base64.
    pub(crate) fn picture(&self) -> String {
        let shot = self.cdp("Page.captureScreenshot", json!({"format": "png"}));
        shot["data"].as_str().expect("a picture").to_owned()
    }

    /// Writes what is seen to `target/screens/<test>-<what>.png`.
    pub(crate) fn screenshot(&self, what: &str) {
        self.write_picture(&format!("target/screens/{}-{what}.png", self.name));
    }

    /// Writes what is seen to a file of the source tree.
    pub(crate) fn write_picture(&self, file: &str) {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let mut bytes = Vec::new();
        super::base64::decode(&self.picture(), &mut bytes);
        std::fs::write(file, bytes).expect("a picture");
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.call("POST", "se/log", &json!({"type": kind})).unwrap_or_else(|error| panic!("log {kind}: {error}"));
        log.as_array().cloned().unwrap_or_default()
    }

    /// What the DevTools saw since the last call: method and parameters.
    pub(crate) fn network(&self) -> Vec<(String, Value)> {
        let read = |entry: &Value| -> Option<(String, Value)> {
            let mut event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            Some((event["message"]["method"].as_str()?.to_owned(), event["message"]["params"].take()))
        };
        self.log("performance").iter().filter_map(read).collect()
    }

    /// What is wrong in the page: a script that threw, something that a policy blocked.
    pub(crate) fn faults(&self) -> String {
        let mut faults = String::new();
        for entry in self.log("browser") {
            let message = entry["message"].as_str().unwrap_or_default();
            if ["Uncaught", "Content Security Policy", "Refused to", "Failed to load module"]
                .iter()
                .any(|mark| message.contains(mark))
            {
                // Writing to a string does not fail.
                _ = writeln!(faults, "{message}");
            }
        }
        if let Ok(Value::Array(blocked)) = self.try_run("return window.test?.blocked ?? [];", &Value::Null) {
            blocked.iter().for_each(|one| _ = writeln!(faults, "blocked: {one}"));
        }
        faults
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let faults = if std::thread::panicking() { String::new() } else { self.faults() };
        if std::thread::panicking() {
            self.screenshot("failed");
        }
        if self.ordinary && faults.is_empty() && !std::thread::panicking() {
            self.driver.give_back(std::mem::take(&mut self.session), &self.origin);
        } else {
            self.driver.end(&self.session);
        }
        assert!(faults.is_empty(), "{}: the page has faults:\n{faults}", self.name);
    }
}
