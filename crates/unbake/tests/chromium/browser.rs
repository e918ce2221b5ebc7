//! Pages on loopback, and a browser behind its driver that looks at them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::pages::Page;

const CHROMIUM: &str = "/usr/bin/chromium";
const DRIVER: &str = "/usr/bin/chromedriver";

pub(crate) fn is_installed() -> bool {
    Path::new(CHROMIUM).exists() && Path::new(DRIVER).exists()
}

/// Serves page N at `/N`, in one piece.
pub(crate) fn serve(pages: Arc<Vec<Page>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let pages = Arc::clone(&pages);
            std::thread::spawn(move || answer(stream, &pages));
        }
    });
    address
}

fn answer(mut stream: TcpStream, pages: &[Page]) -> Option<()> {
    let mut request = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    request.read_line(&mut line).ok()?;
    let path = line.split_whitespace().nth(1)?;
    let number = path
        .get(1..)
        .and_then(|number| number.parse::<usize>().ok());
    let mut header = String::new();
    while request.read_line(&mut header).ok()? > 2 {
        header.clear();
    }
    let Some(page) = number.and_then(|number| pages.get(number)) else {
        let none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(none).ok();
    };
    let mut response =
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nCache-Control: no-store\r\n".to_vec();
    for value in &page.headers {
        response.extend_from_slice(format!("Content-Type: {value}\r\n").as_bytes());
    }
    response.extend_from_slice(format!("Content-Length: {}\r\n\r\n", page.body.len()).as_bytes());
    response.extend_from_slice(&page.body);
    stream.write_all(&response).ok()
}

/// What the browser made of a page.
pub(crate) struct Shown {
    /// `document.characterSet`.
    pub(crate) encoding: String,
    /// Parsing the expected text gives the very document that is shown.
    pub(crate) same_document: bool,
    /// The text of the element `t`, or else of the document; shown, and expected.
    pub(crate) text: String,
    pub(crate) expected_text: String,
}

/// The script that is run in each page.
const LOOK: &str = "
    const expected = new DOMParser().parseFromString(arguments[0], 'text/html');
    const html = of => [of.doctype && of.doctype.name, of.documentElement.outerHTML].join();
    const text = of => (of.getElementById('t') || of.documentElement).textContent.slice(-300);
    return [document.characterSet, html(document) === html(expected), text(document), text(expected)];
";

/// Starts the driver and waits for the end of its own input, which comes when the test ends, however it ends. Then it ends the
/// driver, and the browser by the folder of its profile, which is no one else's.
const KEEPER: &str = r#"
    "$DRIVER" --port=0 &
    driver=$!
    read -r _
    kill "$driver"
    for process in /proc/[0-9]*; do
        case "$(tr '\0' ' ' < "$process/cmdline" 2> /dev/null)" in
            *"$PROFILE"*) kill -9 "${process#/proc/}" ;;
        esac
    done
    wait
    rm -rf "$PROFILE"
"#;

/// A browser behind its driver, ended in every case.
pub(crate) struct Browser {
    keeper: Child,
    port: u16,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _gone = self.call("DELETE", "", &Value::Null);
        }
        drop(self.keeper.stdin.take());
        let _gone = self.keeper.wait();
    }
}

impl Browser {
    pub(crate) fn start() -> Result<Browser, String> {
        let profile = profile();
        let mut keeper = Command::new("/bin/sh")
            .args(["-c", KEEPER])
            .env("DRIVER", DRIVER)
            .env("PROFILE", &profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {DRIVER}: {error}"))?;
        let said = keeper.stdout.take();
        let mut browser = Browser {
            keeper,
            port: 0,
            session: String::new(),
        };
        let mut said = BufReader::new(said.ok_or("no output")?)
            .lines()
            .map_while(Result::ok);
        browser.port = said
            .find_map(|line| {
                line.rsplit_once("successfully on port ")?
                    .1
                    .trim_end_matches('.')
                    .parse()
                    .ok()
            })
            .ok_or_else(|| format!("{DRIVER} did not start"))?;
        // Nobody else reads what it says.
        std::thread::spawn(move || said.for_each(drop));
        let user_data = format!("--user-data-dir={}", profile.display());
        let options = json!({"binary": CHROMIUM, "args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", user_data,
        ]});
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "pageLoadStrategy": "normal",
            "timeouts": {"pageLoad": 15_000, "script": 10_000},
        }}});
        let answer = browser.call("POST", "", &wanted)?;
        let session = answer["sessionId"]
            .as_str()
            .ok_or_else(|| format!("no session: {answer}"))?;
        session.clone_into(&mut browser.session);
        Ok(browser)
    }

    /// Opens a page, and compares it with the text that its bytes are expected to be.
    pub(crate) fn ask(&self, url: &str, expected: &str) -> Result<Shown, String> {
        self.call("POST", "/url", &json!({ "url": url }))?;
        let answer = self.call(
            "POST",
            "/execute/sync",
            &json!({"script": LOOK, "args": [expected]}),
        )?;
        let text = |at: usize| answer[at].as_str().unwrap_or_default().to_owned();
        Ok(Shown {
            encoding: text(0),
            same_document: answer[1]
                .as_bool()
                .ok_or_else(|| format!("{url}: {answer}"))?,
            text: text(2),
            expected_text: text(3),
        })
    }

    /// One command of the WebDriver protocol.
    fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let session = if self.session.is_empty() {
            String::new()
        } else {
            format!("/{}", self.session)
        };
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let request = format!(
            "{method} /session{session}{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let failed = |error: std::io::Error| format!("the driver does not answer: {error}");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(failed)?;
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .map_err(failed)?;
        stream.write_all(request.as_bytes()).map_err(failed)?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).map_err(failed)?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value
                    .trim()
                    .parse()
                    .map_err(|_| format!("the driver's answer: {line}"))?;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).map_err(failed)?;
        let mut answer: Value = serde_json::from_slice(&answer)
            .map_err(|error| format!("the driver's answer: {error}"))?;
        match answer["value"].get("error") {
            Some(error) => Err(format!("{path}: {error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].take()),
        }
    }
}

/// A folder of its own for the browser's profile.
fn profile() -> PathBuf {
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    std::env::temp_dir().join(format!("unbake-chromium-{}-{time}", std::process::id()))
}
