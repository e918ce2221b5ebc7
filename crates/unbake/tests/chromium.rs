//! Profile `browser` against a real browser: seeded random pages over loopback, asked of headless Chromium.
//!
//! `UNBAKE_SEED` repeats a run, `UNBAKE_PAGES` sets its length. Left out by the generator, because Chromium is known to differ from
//! the other engines or to depend on timing there: duplicate attributes of a meta, noscript, foreign content, pages that come in
//! pieces. Pages whose encoding is a guess are compared with nobody.
#![allow(clippy::print_stdout)] // counts are what a runner has to say

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};
use unbake::{Context, Profile, Rule, decode, get_an_encoding};

const CHROMIUM: &str = "/usr/bin/chromium";
const DRIVER: &str = "/usr/bin/chromedriver";

fn main() {
    let arguments = Arguments::from_args();
    let present = Path::new(CHROMIUM).exists() && Path::new(DRIVER).exists();
    let trial = if present {
        Trial::test("chromium answers as profile browser", || {
            compare().map_err(Failed::from)
        })
    } else {
        println!("not run: chromium (install chromium and chromium-driver)");
        Trial::test("chromium answers as profile browser", || Ok(())).with_ignored_flag(true)
    };
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

/// A small generator of random numbers (xorshift*), so that a seed tells the whole run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.roll(from.len())]
    }
}

#[derive(Clone)]
struct Page {
    headers: Vec<String>,
    body: Vec<u8>,
}

const LABELS: &[&str] = &[
    "utf-8",
    "UTF-8",
    "iso-8859-1",
    "latin1",
    "windows-1251",
    "koi8-r",
    "koi8-u",
    "windows-1250",
    "iso-8859-2",
    "shift_jis",
    "x-sjis",
    "euc-jp",
    "iso-2022-jp",
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "big5-hkscs",
    "euc-kr",
    "ks_c_5601-1987",
    "windows-1255",
    "iso-8859-8-i",
    "windows-1256",
    "windows-874",
    "tis-620",
    "iso-8859-9",
    "windows-1257",
    "macintosh",
    "x-mac-cyrillic",
    "ibm866",
    "utf-16",
    "utf-16be",
    "x-user-defined",
    "bogus",
    "utf-7",
    "utf8",
];

const TEXTS: &[&str] = &[
    "Grüße, naïve café",
    "Привет, мир",
    "日本語のテキスト",
    "中文网页",
    "繁體中文",
    "한국어 문서",
    "Ελληνικά",
    "שלום עולם",
    "مرحبا",
    "ภาษาไทย",
    "Příliš žluťoučký kůň",
    "plain ascii",
    "Łódź",
    "ığüşöç",
];

fn page(dice: &mut Dice) -> Page {
    let label = dice.pick(LABELS);
    let headers = match dice.roll(10) {
        0..=4 => vec!["text/html".to_owned()],
        5 => vec![format!("text/html; charset={}", dice.pick(LABELS))],
        6 => vec![format!("text/html;charset=\"{}\"", dice.pick(LABELS))],
        7 => vec![format!("text/html; charset='{}'", dice.pick(LABELS))],
        8 => vec![
            format!("text/html; charset={}", dice.pick(LABELS)),
            "text/html".to_owned(),
        ],
        _ => vec![format!("TEXT/HTML; x=y; Charset= {}", dice.pick(LABELS))],
    };
    let meta = match dice.roll(7) {
        0 => format!("<meta charset={label}>"),
        1 => format!("<META CHARSET = \"{label}\" >"),
        2 => format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">"),
        3 => format!("<meta content='text/html;charset={label}' http-equiv=content-type />"),
        4 => format!(
            "<meta charset=\"&#x{:x};{}\">",
            label.as_bytes()[0],
            &label[1..]
        ),
        5 => format!("<meta name=x content=\"text/html; charset={label}\">"),
        _ => String::new(),
    };
    let filler = "x".repeat([0, 0, 0, 900, 980, 1010, 1500, 5000][dice.roll(8)]);
    let before = match dice.roll(9) {
        0 => format!("<!--{filler}-->"),
        1 => format!("<script>var s='{filler}<meta charset=big5>'</script>"),
        2 => format!("<title>{filler}<meta charset=euc-kr></title>"),
        3 => format!("<style>{filler}</style>"),
        4 => format!("<p>{filler}</p>"),
        5 => format!("</head>{filler}"),
        6 => format!("<link rel=x title=\"{filler}>\">"),
        7 => "<?xml version='1.0' encoding='koi8-r'?>".to_owned(),
        _ => filler,
    };
    let hidden = match dice.roll(5) {
        0 => format!("<!--{meta}-->"),
        1 => format!("<textarea>{meta}</textarea>"),
        _ => meta,
    };
    let text = dice.pick(TEXTS);
    let html = format!(
        "{}{before}{hidden}<p id=t>{text}</p>",
        ["<!doctype html>", ""][dice.roll(2)]
    );
    // Usually the encoding that is declared; sometimes another, so that malformed bytes occur.
    let written = if dice.roll(4) == 0 {
        dice.pick(LABELS)
    } else {
        label
    };
    let encoding = get_an_encoding(written.as_bytes())
        .and_then(unbake::Encoding::web)
        .unwrap_or(encoding_rs::UTF_8);
    // Characters that the encoding lacks are left out, or the encoder would write references.
    let lacks = |c: char| {
        encoding
            .output_encoding()
            .encode(c.encode_utf8(&mut [0; 4]))
            .2
    };
    let html: String = html
        .chars()
        .filter(|&c| c.is_ascii() || !lacks(c))
        .collect();
    let (bytes, _, _) = encoding.output_encoding().encode(&html);
    let mark: &[u8] = [&b"\xEF\xBB\xBF"[..], b"", b"", b"", b"", b"", b""][dice.roll(7)];
    Page {
        headers,
        body: [mark, &bytes].concat(),
    }
}

fn compare() -> Result<(), String> {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(otherwise)
    };
    let clock = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| time.as_nanos() as u64);
    let seed = number("UNBAKE_SEED", clock) | 1;
    let count = number("UNBAKE_PAGES", 300);
    println!("chromium: UNBAKE_SEED={seed} repeats this run");
    let mut dice = Dice(seed);
    let pages: Arc<Vec<Page>> = Arc::new((0..count).map(|_| page(&mut dice)).collect());
    let address = serve(Arc::clone(&pages));
    let browser = Browser::start()?;
    let (mut compared, mut guessed, mut wrong) = (0, 0, Vec::new());
    for (at, page) in pages.iter().enumerate() {
        let context = Context {
            content_type: page
                .headers
                .iter()
                .map(|value| value.as_bytes().to_vec())
                .collect(),
            ..Context::new(Profile::Browser)
        };
        let ours = decode(&page.body, &context);
        // Where nothing is declared and the bytes are no ASCII, the answer is a guess, even if ours is not to know.
        let unknown = ours.decision.rule == Rule::Default && !page.body.is_ascii();
        if ours.decision.rule == Rule::Detected || unknown {
            guessed += 1;
            continue;
        }
        let answer = browser.ask(&format!("http://{address}/{at}"))?;
        let (encoding, text) = (answer[0].as_str().unwrap_or_default(), answer[1].as_str());
        // The text of the element, where both still see the element.
        let our_text = ours
            .text
            .rsplit_once("<p id=t>")
            .and_then(|(_, rest)| rest.split_once("</p>"))
            .map(|(text, _)| text);
        let same_text = match (text, our_text) {
            // The parser drops NULs and normalises newlines; what reads as markup is no text.
            (Some(theirs), Some(ours)) if !ours.contains(['<', '&']) => {
                theirs == ours.replace('\0', "").replace('\r', "\n")
            }
            _ => true,
        };
        compared += 1;
        // Chromium names the replacement encoding after what it shows the page in.
        let name = ours.decision.encoding.name();
        if encoding != name || !same_text {
            let shown: String = page
                .body
                .iter()
                .flat_map(|b| std::ascii::escape_default(*b))
                .map(char::from)
                .collect();
            wrong.push(format!(
                "[[case]]\nname = \"chromium-{seed}-{at}\"\nbytes = '{shown}'\nprofile = \"browser\"\ncontent-type = {:?}\nencoding = \"{encoding}\"\n# ours: {name} by {}; text {our_text:?}, Chromium's {text:?}",
                page.headers, ours.decision.rule
            ));
        }
    }
    println!(
        "chromium: {compared} pages compared, {} differ, {guessed} left out (guessed)",
        wrong.len()
    );
    if compared == 0 {
        return Err("no page was compared".to_owned());
    }
    wrong.truncate(5);
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n\n"))
    }
}

/// Serves page N at `/N`, in one piece.
fn serve(pages: Arc<Vec<Page>>) -> String {
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
    let number = line
        .split_whitespace()
        .nth(1)
        .and_then(|path| path[1..].parse::<usize>().ok());
    let mut header = String::new();
    while request.read_line(&mut header).ok()? > 2 {
        header.clear();
    }
    let Some(page) = number.and_then(|number| pages.get(number)) else {
        return stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .ok();
    };
    let types = page.headers.iter().fold(String::new(), |all, value| {
        all + "Content-Type: " + value + "\r\n"
    });
    let head = format!(
        "HTTP/1.1 200 OK\r\n{types}Content-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n",
        page.body.len()
    );
    stream
        .write_all(&[head.as_bytes(), &page.body].concat())
        .ok()
}

/// A browser behind its driver, ended in every case.
struct Browser {
    driver: Mutex<Child>,
    port: u16,
    session: String,
    profile: std::path::PathBuf,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _gone = self.call("DELETE", "", &Value::Null);
        if let Ok(mut driver) = self.driver.lock() {
            let _gone = driver.kill();
            let _gone = driver.wait();
        }
        let _gone = std::fs::remove_dir_all(&self.profile);
    }
}

impl Browser {
    fn start() -> Result<Browser, String> {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|l| l.local_addr())
            .map_err(|e| e.to_string())?
            .port();
        let driver = Command::new(DRIVER)
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot start {DRIVER}: {e}"))?;
        let profile =
            std::env::temp_dir().join(format!("unbake-chromium-{}-{port}", std::process::id()));
        let mut browser = Browser {
            driver: Mutex::new(driver),
            port,
            session: String::new(),
            profile,
        };
        for _ in 0..100 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let user_data = format!("--user-data-dir={}", browser.profile.display());
        let options = json!({"binary": CHROMIUM, "args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", user_data,
        ]});
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "pageLoadStrategy": "normal"}}});
        let answer = browser.call("POST", "", &wanted)?;
        let session = answer["sessionId"]
            .as_str()
            .ok_or_else(|| format!("no session: {answer}"))?;
        session.clone_into(&mut browser.session);
        Ok(browser)
    }

    /// The document's encoding, and the text of its element `t`.
    fn ask(&self, url: &str) -> Result<Value, String> {
        self.call("POST", "/url", &json!({ "url": url }))?;
        let script = "const t = document.getElementById('t'); return [document.characterSet, t && t.textContent];";
        self.call(
            "POST",
            "/execute/sync",
            &json!({"script": script, "args": []}),
        )
    }

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
        let failed = |e: std::io::Error| format!("the driver does not answer: {e}");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(failed)?;
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
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
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).map_err(failed)?;
        let mut answer: Value =
            serde_json::from_slice(&answer).map_err(|e| format!("the driver's answer: {e}"))?;
        match answer["value"].get("error") {
            Some(error) => Err(format!("{path}: {error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].take()),
        }
    }
}
