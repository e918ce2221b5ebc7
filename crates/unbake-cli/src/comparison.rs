//! What others make of the same bytes, beside what unbake does.

use std::fmt::Write as _;

use serde_json::{Value, json};
use unbake::{Context, Reading, Seen, compare, decode};

use crate::messages::plain;

pub(crate) struct Comparison {
    text: String,
    readings: Vec<Reading>,
}

/// How much of a text is shown from where it differs.
const SHOWN: usize = 40;

impl Comparison {
    pub(crate) fn of(bytes: &[u8], context: &Context) -> Comparison {
        Comparison {
            text: decode(bytes, context).text.into_owned(),
            readings: compare(bytes, context),
        }
    }

    pub(crate) fn as_text(&self) -> String {
        let widest = self
            .readings
            .iter()
            .map(|reading| reading.reader.name().len())
            .max()
            .unwrap_or(0);
        let mut text = "what others see:\n".to_owned();
        for reading in &self.readings {
            let seen = self.in_words(&reading.seen);
            let _infallible = writeln!(
                text,
                "  {:<widest$}  {}",
                reading.reader.name(),
                plain(&seen)
            );
        }
        text.push('\n');
        text
    }

    fn in_words(&self, seen: &Seen) -> String {
        match seen {
            Seen::Unknown(why) => format!("not known: {why}"),
            Seen::Error { reason, at } => match at {
                Some(at) => format!("error at byte {at}: {reason}"),
                None => format!("error: {reason}"),
            },
            Seen::Text { text, lost } => {
                let mut words = match text {
                    None => "text with losses".to_owned(),
                    Some(text) if *text == self.text => "the same text".to_owned(),
                    Some(text) => format!("other text: {}", self.difference(text)),
                };
                if let Some(at) = lost {
                    let _infallible = write!(words, "; U+FFFD from byte {at} on");
                }
                words
            }
        }
    }

    /// The other text from where the two part.
    fn difference(&self, other: &str) -> String {
        let pairs = self.text.chars().zip(other.chars());
        let same = pairs.take_while(|(ours, theirs)| ours == theirs).count();
        let line = 1 + other.chars().take(same).filter(|&c| c == '\n').count();
        let before = same.min(8);
        let shown: String = other.chars().skip(same - before).take(SHOWN).collect();
        if shown.is_empty() {
            return "it is empty".to_owned();
        }
        format!("line {line}: \u{201C}{}\u{201D}", shown.escape_debug())
    }

    pub(crate) fn as_json(&self) -> Vec<Value> {
        let row = |reading: &Reading| {
            let (outcome, detail) = match &reading.seen {
                Seen::Unknown(why) => ("unknown", json!({ "reason": why })),
                Seen::Error { reason, at } => ("error", json!({"reason": reason, "at": at})),
                Seen::Text { text, lost } => {
                    let same = text.as_ref().map(|text| *text == self.text);
                    ("text", json!({"same": same, "text": text, "lost_at": lost}))
                }
            };
            let mut row = json!({
                "reader": reading.reader.name(),
                "source": reading.reader.source(),
                "outcome": outcome,
            });
            if let (Some(row), Value::Object(detail)) = (row.as_object_mut(), detail) {
                row.extend(detail);
            }
            row
        };
        self.readings.iter().map(row).collect()
    }
}
