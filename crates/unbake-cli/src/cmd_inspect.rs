//! `unbake inspect`: bytes and characters side by side.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use unbake::{Encoding, Unit, inspect, sniff};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::input::Input;
use crate::messages::{CliError, Exit, plain, say};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  printf 'caf\\xc3\\xa9 \\xed\\xa0\\x80' | unbake inspect")]
pub(crate) struct InspectArgs {
    /// Files; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// all; non-ascii; malformed sequences alone; or differs: where the strict standard of that name reads otherwise
    #[arg(long, value_enum, default_value = "all", hide_possible_values = true)]
    only: Only,
    /// First byte to show
    #[arg(long, default_value_t = 0)]
    offset: u64,
    /// Most rows to show; 0 is all
    #[arg(long, default_value_t = 200)]
    limit: usize,
    /// Below each row, how the bits make the code point
    #[arg(long)]
    anatomy: bool,
    /// One JSON object a row
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    decide: DecideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Only {
    All,
    NonAscii,
    Malformed,
    Differs,
}

pub(crate) fn run(args: &InspectArgs) -> Outcome {
    let context = args.decide.context()?;
    let mut out = BufWriter::new(io::stdout().lock());
    let failed = |error: io::Error| CliError::write(&error);
    let exit = Input::for_each(&args.inputs, |input| {
        let context = input.context(&context)?;
        let bytes = input.read()?;
        let decision = sniff(&bytes, &context);
        let encoding = decision.encoding;
        if !args.json {
            let head = row([
                "byte",
                "hex",
                bits_head(encoding),
                "code point",
                "char",
                "note",
            ]);
            let name = input.name();
            write!(out, "{}: {}\n{head}", plain(&name), decision.why()).map_err(failed)?;
        }
        let wanted = inspect(&bytes, encoding)
            .filter(|unit| unit.at >= args.offset && is_wanted(unit, args.only));
        for (rows, unit) in wanted.enumerate() {
            if args.limit > 0 && rows == args.limit {
                out.flush().map_err(failed)?;
                say(&format!(
                    "the rows of `{}` go on: `--offset {}` shows the next, `--limit 0` shows all\n",
                    plain(&input.name()),
                    unit.at
                ));
                break;
            }
            let row = if args.json {
                as_json(&unit)
            } else {
                as_row(&unit, args.anatomy)
            };
            out.write_all(row.as_bytes()).map_err(failed)?;
        }
        Ok(Exit::Done)
    });
    out.flush().map_err(failed)?;
    exit
}

fn is_wanted(unit: &Unit<'_>, only: Only) -> bool {
    match only {
        Only::All => true,
        Only::NonAscii => !unit.text.is_ascii() || !unit.bytes.is_ascii(),
        Only::Malformed => unit.malformed.is_some(),
        Only::Differs => unit.strict().is_some(),
    }
}

fn bits_head(encoding: Encoding) -> &'static str {
    if encoding == Encoding::UTF_8 || encoding.is_utf_16() {
        "bits (marker|payload)"
    } else {
        "bits"
    }
}

fn hex(unit: &Unit<'_>) -> String {
    let bytes: Vec<String> = unit
        .bytes
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    bytes.join(" ")
}

fn code_points(unit: &Unit<'_>) -> Vec<String> {
    unit.text
        .chars()
        .map(|c| format!("U+{:04X}", u32::from(c)))
        .collect()
}

/// The character as it can be shown: controls, spaces and other invisible ones by name.
fn shown(unit: &Unit<'_>) -> String {
    if unit.malformed.is_some() || unit.text.is_empty() {
        return "-".to_owned();
    }
    let mut shown = String::new();
    for c in unit.text.chars() {
        match name(c) {
            Some(name) => shown.push_str(name),
            // A mark stands on a circle, not on the space before it.
            None if shown.is_empty() && UnicodeWidthChar::width(c) == Some(0) => {
                shown.push('\u{25CC}');
                shown.push(c);
            }
            None => shown.push(c),
        }
    }
    shown
}

/// The short name of a character that can not be seen.
fn name(c: char) -> Option<&'static str> {
    const C0: [&str; 33] = [
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR",
        "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB",
        "ESC", "FS", "GS", "RS", "US", "SP",
    ];
    const C1: [&str; 32] = [
        "PAD", "HOP", "BPH", "NBH", "IND", "NEL", "SSA", "ESA", "HTS", "HTJ", "VTS", "PLD", "PLU",
        "RI", "SS2", "SS3", "DCS", "PU1", "PU2", "STS", "CCH", "MW", "SPA", "EPA", "SOS", "SGCI",
        "SCI", "CSI", "ST", "OSC", "PM", "APC",
    ];
    let code = c as usize;
    match c {
        '\0'..=' ' => C0.get(code).copied(),
        '\u{7F}' => Some("DEL"),
        '\u{80}'..='\u{9F}' => C1.get(code - 0x80).copied(),
        '\u{A0}' => Some("NBSP"),
        '\u{AD}' => Some("SHY"),
        '\u{200B}' => Some("ZWSP"),
        '\u{200C}' => Some("ZWNJ"),
        '\u{200D}' => Some("ZWJ"),
        '\u{200E}' => Some("LRM"),
        '\u{200F}' => Some("RLM"),
        '\u{2028}' => Some("LSEP"),
        '\u{2029}' => Some("PSEP"),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some("BIDI"),
        '\u{2060}' => Some("WJ"),
        '\u{3000}' => Some("IDSP"),
        '\u{FEFF}' => Some("ZWNBSP"),
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' => Some("PUA"),
        _ => None,
    }
}

/// The columns, each as wide as its cells usually are. A wide character takes two columns of the terminal.
fn row(cells: [&str; 6]) -> String {
    let [at, hex, bits, code_point, shown, note] = cells;
    let mut line = format!("{at:>10}  {hex:<11}  {bits:<39}  {code_point:<10}  {shown}");
    let missing = 6_usize.saturating_sub(UnicodeWidthStr::width(shown));
    line.push_str(&" ".repeat(missing + 1));
    line.push_str(note);
    let mut line = line.trim_end().to_owned();
    line.push('\n');
    line
}

fn as_row(unit: &Unit<'_>, anatomy: bool) -> String {
    let code_points = if unit.malformed.is_some() || unit.text.is_empty() {
        "-".to_owned()
    } else {
        code_points(unit).join(" ")
    };
    let mut note = unit.note().unwrap_or_default();
    if unit.malformed.is_some() {
        note.insert_str(0, "malformed: ");
    }
    let mut text = row([
        &unit.at.to_string(),
        &hex(unit),
        &unit.bits(),
        &code_points,
        &shown(unit),
        &note,
    ]);
    if let Some(anatomy) = unit.anatomy().filter(|_| anatomy && unit.bytes.len() > 1) {
        let _infallible = writeln!(text, "{:>10}  {anatomy}", "");
    }
    text
}

fn as_json(unit: &Unit<'_>) -> String {
    let row = json!({
        "at": unit.at,
        "hex": hex(unit),
        "bits": unit.bits(),
        "code_points": code_points(unit),
        "text": unit.text,
        "malformed": unit.malformed.map(unbake::MalformedKind::id),
        "bom": unit.bom,
        "strict": unit.strict(),
        "anatomy": unit.anatomy(),
        "note": unit.note(),
    });
    format!("{row}\n")
}
