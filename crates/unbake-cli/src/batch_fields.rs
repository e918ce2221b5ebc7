//! The fields of rows that say nothing to us: other columns mostly, and now and then a misspelt name.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unbake_io::ndjson::FIELDS;

use crate::messages::{plain, say};

/// How many names are told apart.
const NAMES: usize = 16;

/// In how many rows which field was passed over.
#[derive(Default)]
pub(crate) struct PassedOver {
    rows: BTreeMap<String, u64>,
    more: bool,
}

impl PassedOver {
    pub(crate) fn add(&mut self, names: Vec<String>) {
        for name in names {
            if let Some(rows) = self.rows.get_mut(&name) {
                *rows += 1;
            } else if self.rows.len() < NAMES {
                self.rows.insert(name, 1);
            } else {
                self.more = true;
            }
        }
    }

    /// Says which they were, and what was meant where a name is near one of ours.
    pub(crate) fn tell(&self) {
        if self.rows.is_empty() {
            return;
        }
        let mut names = Vec::new();
        let mut hints = String::new();
        for (name, rows) in &self.rows {
            names.push(format!("`{name}` in {rows}"));
            if let Some(near) = meant(name) {
                let name = plain(name);
                let _infallible = writeln!(hints, "hint: `{name}`: did you mean `{near}`?");
            }
        }
        let more = if self.more { " and more" } else { "" };
        say(&format!(
            "passed over: fields, and the number of rows: {}{more}\n{hints}",
            plain(&names.join(", ")),
        ));
    }
}

/// The field whose name was probably meant.
fn meant(name: &str) -> Option<&'static str> {
    let letters = |name: &str| -> String {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = letters(name);
    match wanted.as_str() {
        "body" | "base64" | "bodyb64" | "html" | "content" => return Some("body_base64"),
        "charset" => return Some("encoding"),
        "language" => return Some("lang"),
        "uri" | "address" => return Some("url"),
        _ => {}
    }
    FIELDS
        .into_iter()
        .map(|field| (strsim::damerau_levenshtein(&wanted, &letters(field)), field))
        .filter(|(distance, field)| *distance <= 2 && field.len() > 4 || *distance == 0)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn names_near_ours() {
        assert_eq!(meant("contentType"), Some("content_type"));
        assert_eq!(meant("body_base46"), Some("body_base64"));
        assert_eq!(meant("fetch_time"), None);
        assert_eq!(meant("title"), None);
    }
}
