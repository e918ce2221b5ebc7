//! The HTML report in headless Chromium: clicked through, by mouse and by keyboard.
#![allow(clippy::print_stdout)] // what is not run is said

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use serde_json::{Value, json};

fn main() {
    let arguments = Arguments::from_args();
    let present = Path::new(CHROMIUM).exists() && Path::new(DRIVER).exists();
    if !present {
        println!("not run: the report in chromium (install chromium and chromium-driver)");
    }
    let trial = Trial::test("the report can be clicked through", || {
        click_through();
        Ok(())
    });
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(!present)]).exit();
}

const CHROMIUM: &str = "/usr/bin/chromium";
const DRIVER: &str = "/usr/bin/chromedriver";

/// A browser under WebDriver.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    fn open() -> Browser {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("a port").port();
        drop(free);
        let driver = Command::new(DRIVER)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let mut browser = Browser {
            driver,
            port,
            session: String::new(),
        };
        for _ in 0..100 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let options = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {
            "binary": CHROMIUM, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"]}}}});
        let session = browser.call("POST", "/session", Some(&options));
        let id = session["value"]["sessionId"].as_str();
        id.expect("a session").clone_into(&mut browser.session);
        browser
    }

    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let body = body.map_or_else(String::new, Value::to_string);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()))
            .expect("a request");
        let mut answer = Vec::new();
        // The driver may keep the connection: its Content-Length tells the end.
        let mut piece = [0; 4096];
        loop {
            let n = stream.read(&mut piece).expect("an answer");
            answer.extend_from_slice(&piece[..n]);
            let shown = String::from_utf8(answer.clone()).unwrap_or_default();
            if let Some((head, rest)) = shown.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.trim().parse::<usize>().ok())?
                });
                if length.is_none_or(|length| rest.len() >= length) || n == 0 {
                    return serde_json::from_str(rest).expect("JSON from the driver");
                }
            }
            assert!(n > 0, "the driver hung up");
        }
    }

    fn command(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let answer = self.call(method, &format!("/session/{}{path}", self.session), body);
        assert!(answer["value"]["error"].is_null(), "{answer}");
        answer["value"].clone()
    }

    fn script(&self, script: &str) -> Value {
        self.command(
            "POST",
            "/execute/sync",
            Some(&json!({"script": script, "args": []})),
        )
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.call("DELETE", &format!("/session/{}", self.session), None);
        }
        let _gone = self.driver.kill();
        let _gone = self.driver.wait();
    }
}

fn click_through() {
    let browser = Browser::open();
    let file = std::env::temp_dir().join(format!("unbake-report-{}.html", std::process::id()));
    let made = Command::new(env!("CARGO_BIN_EXE_unbake"))
        .args(["audit", "examples/crawl", "--html"])
        .arg(&file)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdout(Stdio::null())
        .status()
        .expect("the binary starts");
    assert!(made.success());
    let html = file.display();
    browser.command(
        "POST",
        "/url",
        Some(&json!({"url": format!("file://{html}")})),
    );
    let find = |selector: &str| {
        let found = browser.command(
            "POST",
            "/element",
            Some(&json!({"using": "css selector", "value": selector})),
        );
        found
            .as_object()
            .and_then(|found| found.values().next())
            .and_then(Value::as_str)
            .expect("an element")
            .to_owned()
    };
    let shown = |selector: &str| {
        browser.command(
            "GET",
            &format!("/element/{}/displayed", find(selector)),
            None,
        )
    };
    assert_eq!(browser.command("GET", "/title", None), "Audit of texts");
    assert_eq!(
        browser.script("return document.querySelectorAll('svg[role=img][aria-label]').length"),
        5
    );
    // From a group to a page, its bytes and its text.
    browser.script("document.querySelector('#by-tld').scrollIntoView()");
    let first = "#by-tld + details";
    assert_eq!(shown(&format!("{first} .example pre")), false);
    browser.command(
        "POST",
        &format!("/element/{}/click", find(&format!("{first} > summary"))),
        Some(&json!({})),
    );
    assert_eq!(shown(&format!("{first} .example pre")), true);
    let panes = browser.script(&format!(
        "return [...document.querySelectorAll('{first} .example')].map(e => [...e.querySelectorAll('figcaption')].map(f => f.textContent))"
    ));
    let wanted = json!(["Bytes", "Text", "What requests shows"]);
    assert!(
        panes
            .as_array()
            .is_some_and(|panes| panes.contains(&wanted)),
        "{panes}"
    );
    // By keyboard: the summary takes the focus and Enter closes it again.
    browser.script(&format!(
        "document.querySelector('{first} > summary').focus()"
    ));
    let focused = browser.script("return document.activeElement.tagName");
    assert_eq!(focused, "SUMMARY");
    let enter = json!({"text": "\u{E007}", "value": ["\u{E007}"]});
    browser.command(
        "POST",
        &format!("/element/{}/value", find(&format!("{first} > summary"))),
        Some(&enter),
    );
    assert_eq!(shown(&format!("{first} .example pre")), false);
    // Nothing asks for the network, nothing is named twice, and every table has headings.
    assert_eq!(
        browser.script("return performance.getEntriesByType('resource').length"),
        0
    );
    let faults = browser.script(
        "const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
         return [ids.length - new Set(ids).size,
           [...document.querySelectorAll('table')].filter(t => !t.caption || !t.querySelector('th[scope=col]')).length,
           [...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.getAttribute('href'))).length]",
    );
    assert_eq!(faults, json!([0, 0, 0]));
    // Light and dark differ, and in both the text stands out.
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        let media = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "prefers-color-scheme", "value": scheme}]}});
        browser.command("POST", "/goog/cdp/execute", Some(&media));
        papers.push(browser.script(
            "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]",
        ));
    }
    assert_ne!(papers[0], papers[1]);
    std::fs::remove_file(file).expect("the report is there");
}
