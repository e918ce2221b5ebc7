//! `unbake inspect`: bytes and characters side by side.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use unbake::{Encoding, Unit, inspect, sniff};

use crate::Outcome;
use crate::args::DecideArgs;
use crate::input::Input;
use crate::messages::{CliError, Exit, say};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  printf 'caf\\xc3\\xa9 \\xed\\xa0\\x80' | unbake inspect")]
pub(crate) struct InspectArgs {
    /// File; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// all; non-ascii; or malformed sequences alone
    #[arg(long, value_enum, default_value = "all", hide_possible_values = true)]
    only: Only,
    /// First byte to show
    #[arg(long, default_value_t = 0)]
    offset: u64,
    /// Most rows to show; 0 is all
    #[arg(long, default_value_t = 200)]
    limit: usize,
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
}

pub(crate) fn run(args: &InspectArgs) -> Outcome {
    let context = args.decide.context()?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut write = |text: &str| {
        out.write_all(text.as_bytes())
            .map_err(|error| CliError::write(&error))
    };
    for input in Input::list(&args.inputs) {
        let bytes = input.read()?;
        let decision = sniff(&bytes, &input.context(&context));
        let encoding = decision.encoding;
        if !args.json {
            write(&format!("{}: {}\n", input.name(), decision.why()))?;
            write(&format!(
                "{:>10}  {:<12} {:<36} {:<10} {:<6} {}\n",
                "byte",
                "hex",
                bits_head(encoding),
                "code point",
                "char",
                "note"
            ))?;
        }
        let units = inspect(&bytes, encoding);
        let wanted = units
            .iter()
            .filter(|unit| unit.at >= args.offset && is_wanted(unit, args.only));
        let mut shown = 0;
        let mut left = 0;
        for unit in wanted {
            if args.limit > 0 && shown == args.limit {
                left += 1;
                continue;
            }
            shown += 1;
            write(&if args.json {
                as_json(unit, encoding)
            } else {
                as_row(unit, encoding)
            })?;
        }
        if left > 0 {
            say(&format!(
                "{left} more rows: `--offset` and `--limit 0` show them\n"
            ));
        }
    }
    out.flush().map_err(|error| CliError::write(&error))?;
    Ok(Exit::Done)
}

fn is_wanted(unit: &Unit, only: Only) -> bool {
    match only {
        Only::All => true,
        Only::NonAscii => !unit.bytes.is_ascii(),
        Only::Malformed => unit.malformed.is_some(),
    }
}

fn bits_head(encoding: Encoding) -> &'static str {
    if encoding == Encoding::UTF_8 {
        "bits (marker|payload)"
    } else {
        "bits"
    }
}

fn bits(unit: &Unit, encoding: Encoding) -> String {
    if encoding == Encoding::UTF_8 {
        return unit.utf_8_bits().unwrap_or_default();
    }
    unit.bytes
        .iter()
        .map(|byte| format!("{byte:08b}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn hex(unit: &Unit) -> String {
    unit.bytes
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn code_points(unit: &Unit) -> Vec<String> {
    unit.text
        .chars()
        .map(|c| format!("U+{:04X}", u32::from(c)))
        .collect()
}

/// The character as it can be shown: controls and spaces by name.
fn shown(unit: &Unit) -> String {
    const C0: [&str; 33] = [
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR",
        "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB",
        "ESC", "FS", "GS", "RS", "US", "SP",
    ];
    if unit.malformed.is_some() || unit.bom {
        return "-".to_owned();
    }
    unit.text
        .chars()
        .map(|c| match c {
            '\0'..=' ' => C0
                .get(c as usize)
                .map_or_else(String::new, |name| (*name).to_owned()),
            '\u{7F}' => "DEL".to_owned(),
            '\u{80}'..='\u{9F}' => "C1".to_owned(),
            '\u{A0}' => "NBSP".to_owned(),
            '\u{FEFF}' => "ZWNBSP".to_owned(),
            '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{E000}'..='\u{F8FF}' => "·".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

fn remark(unit: &Unit) -> &'static str {
    unit.malformed
        .map(unbake::MalformedKind::reason)
        .or(unit.note)
        .unwrap_or_default()
}

fn as_row(unit: &Unit, encoding: Encoding) -> String {
    let mut row = String::new();
    let remark = match unit.malformed {
        Some(_) => format!("malformed: {}", remark(unit)),
        None => remark(unit).to_owned(),
    };
    let code_points = if unit.malformed.is_some() {
        "-".to_owned()
    } else {
        code_points(unit).join(" ")
    };
    let _infallible = write!(
        row,
        "{:>10}  {:<12} {:<36} {:<10} {:<6} {}",
        unit.at,
        hex(unit),
        bits(unit, encoding),
        code_points,
        shown(unit),
        remark
    );
    let mut row = row.trim_end().to_owned();
    row.push('\n');
    row
}

fn as_json(unit: &Unit, encoding: Encoding) -> String {
    let row = json!({
        "at": unit.at,
        "hex": hex(unit),
        "bits": bits(unit, encoding),
        "code_points": code_points(unit),
        "text": unit.text,
        "malformed": unit.malformed.map(unbake::MalformedKind::id),
        "bom": unit.bom,
        "note": (!remark(unit).is_empty()).then(|| remark(unit)),
    });
    format!("{row}\n")
}
