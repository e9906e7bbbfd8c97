//! chromedriver as a child process, and its protocol: JSON over HTTP, as the W3C describes WebDriver.
//!
//! The crates for WebDriver switch on `preserve_order` of `serde_json`, and cargo does that for all of a build: the tested daemon would
//! order its JSON otherwise than the one that people run. The dozen calls that the tests need are made here.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::mqtt::broker::print_skipped;
use crate::support::ports::free_port;
use crate::support::seeds::variable;
use crate::support::waiting::{PATIENCE, wait_until};

const DRIVER: &str = "/usr/bin/chromedriver";
/// Chromium without the parts that draw its own window: the same engine, in half of the time. The script of this name in /usr/bin would
/// be ended without it.
const HEADLESS: &str = "/usr/lib/chromium/chromium-headless-shell";
/// Each session is a browser of several processes: more of them at a time only wait for each other.
const SESSIONS: usize = 3;

/// One chromedriver, for all tests that overlap; it is killed when the last of them has ended.
pub(crate) struct Driver {
    child: Child,
    port: u16,
    agent: ureq::Agent,
    /// Sessions whose test has ended, with an empty page: to start a browser costs as much as most tests.
    idle: Mutex<Vec<String>>,
}

static RUNNING: Mutex<Weak<Driver>> = Mutex::new(Weak::new());
static SEATS: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The right to run one of [`SESSIONS`] sessions.
pub(crate) struct Seat(());

impl Seat {
    fn take() -> Seat {
        let seats = lock(&SEATS.0);
        let mut seats = SEATS.1.wait_while(seats, |taken| *taken >= SESSIONS).unwrap_or_else(PoisonError::into_inner);
        *seats += 1;
        Seat(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *lock(&SEATS.0) -= 1;
        SEATS.1.notify_one();
    }
}

/// The browser's program. `tests/soak` names the whole Chromium in `FLAGFALL_BROWSER`.
pub(crate) fn browser() -> String {
    variable("FLAGFALL_BROWSER").unwrap_or_else(|| HEADLESS.to_owned())
}

/// Whether this machine has a browser. Without one a test fails, unless `FLAGFALL_NO_BROWSER` is set.
pub(crate) fn has_browser() -> bool {
    let browser = browser();
    let programs = [(browser.as_str(), "chromium-headless-shell"), (DRIVER, "chromium-driver")];
    let Some((_, package)) = programs.into_iter().find(|(path, _)| !Path::new(path).exists()) else { return true };
    let may_skip = variable("FLAGFALL_NO_BROWSER").is_some();
    assert!(may_skip, "Debian's package {package} is not installed; FLAGFALL_NO_BROWSER=1 skips the tests in a browser");
    print_skipped(&format!("Debian's package {package} is not installed"));
    false
}

impl Driver {
    /// The driver that runs, or a new one; waits until a session may begin.
    pub(crate) fn get() -> (Arc<Driver>, Seat) {
        let seat = Seat::take();
        let mut running = lock(&RUNNING);
        let driver = running.upgrade().unwrap_or_else(|| Arc::new(Driver::start()));
        *running = Arc::downgrade(&driver);
        (driver, seat)
    }

    fn start() -> Driver {
        let port = free_port();
        let mut command = Command::new(DRIVER);
        command.arg(format!("--port={port}")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| panic!("{DRIVER}: {error}"));
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE * 2)).build();
        let driver = Driver { child, port, agent: config.into(), idle: Mutex::default() };
        wait_until("chromedriver answers", PATIENCE, || driver.call("GET", "status", &Value::Null).is_ok());
        driver
    }

    /// A session of an earlier test, if one is free.
    pub(crate) fn take_idle(&self) -> Option<String> {
        lock(&self.idle).pop()
    }

    /// Gives a session to the next test: a new page takes the place of all others, and nothing that the pages of `origin` kept is left.
    /// A session at which that fails ends.
    pub(crate) fn give_back(&self, session: String, origin: &str) {
        match self.empty(&session, origin) {
            Ok(()) => lock(&self.idle).push(session),
            Err(_) => self.end(&session),
        }
    }

    fn empty(&self, session: &str, origin: &str) -> Result<(), String> {
        let post = |path: &str, body: &Value| self.call("POST", &format!("session/{session}/{path}"), body);
        let cdp = |cmd: &str, params: Value| post("goog/cdp/execute", &json!({"cmd": cmd, "params": params}));
        cdp("Storage.clearDataForOrigin", json!({"origin": origin, "storageTypes": "all"}))?;
        cdp("Network.clearBrowserCookies", json!({}))?;
        cdp("Network.clearBrowserCache", json!({}))?;
        let old = self.call("GET", &format!("session/{session}/window/handles"), &Value::Null)?;
        let new = post("window/new", &json!({"type": "window"}))?["handle"].take();
        for handle in old.as_array().into_iter().flatten() {
            post("window", &json!({"handle": handle}))?;
            self.call("DELETE", &format!("session/{session}/window"), &Value::Null)?;
        }
        post("window", &json!({"handle": new}))?;
        Ok(())
    }

    /// Ends a session and its browser.
    pub(crate) fn end(&self, session: &str) {
        _ = self.call("DELETE", &format!("session/{session}"), &Value::Null);
    }

    /// Makes one call. An error has the driver's own words.
    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let url = format!("http://127.0.0.1:{}/{path}", self.port);
        let answer = match method {
            "GET" => self.agent.get(&url).call(),
            "DELETE" => self.agent.delete(&url).call(),
            _ => self.agent.post(&url).header("Content-Type", "application/json").send(body.to_string()),
        };
        let mut answer = answer.map_err(|error| format!("chromedriver, {path}: {error}"))?;
        let bounded = answer.body_mut().with_config().limit(1 << 28).read_to_string();
        let text = bounded.map_err(|error| format!("chromedriver, {path}: {error}"))?;
        let mut value: Value = serde_json::from_str(&text).map_err(|error| format!("chromedriver, {path}: {error}: {text}"))?;
        let value = value["value"].take();
        match value["error"].as_str() {
            Some(error) if !answer.status().is_success() => {
                let message = value["message"].as_str().unwrap_or_default();
                Err(format!("{error}: {}", message.lines().next().unwrap_or_default()))
            }
            _ => Ok(value),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        while let Some(session) = self.take_idle() {
            self.end(&session);
        }
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Between two looks at a page.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(50);
