//! Content-Type, read a second time: whole MIME types with all their parameters, over code points, as the MIME Sniffing and Fetch
//! Standards number the steps. Slow and plain.
#![allow(dead_code)] // each user takes its part

use unbake::{Encoding, get_an_encoding};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MimeType {
    pub(crate) kind: String,
    pub(crate) subtype: String,
    /// An ordered map.
    pub(crate) parameters: Vec<(String, String)>,
}

impl MimeType {
    pub(crate) fn essence(&self) -> String {
        format!("{}/{}", self.kind, self.subtype)
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(key, _)| key == name)?;
        Some(&found.1)
    }

    /// "Serialize a MIME type".
    pub(crate) fn serialize(&self) -> String {
        let mut serialization = self.essence();
        for (name, value) in &self.parameters {
            serialization.push(';');
            serialization.push_str(name);
            serialization.push('=');
            if value.is_empty() || !value.chars().all(is_token) {
                serialization.push('"');
                for c in value.chars() {
                    if c == '"' || c == '\\' {
                        serialization.push('\\');
                    }
                    serialization.push(c);
                }
                serialization.push('"');
            } else {
                serialization.push_str(value);
            }
        }
        serialization
    }
}

/// "Isomorphic decode".
pub(crate) fn isomorphic_decode(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || [
            '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~',
        ]
        .contains(&c)
}

fn is_quoted_string_token(c: char) -> bool {
    c == '\t' || ('\u{20}'..='\u{7E}').contains(&c) || ('\u{80}'..='\u{FF}').contains(&c)
}

fn is_http_whitespace(c: char) -> bool {
    ['\n', '\r', '\t', ' '].contains(&c)
}

fn lower(text: &str) -> String {
    text.chars().map(|c| c.to_ascii_lowercase()).collect()
}

/// A string and a position in it.
struct Input {
    code_points: Vec<char>,
    position: usize,
}

impl Input {
    fn of(text: &str) -> Input {
        Input {
            code_points: text.chars().collect(),
            position: 0,
        }
    }

    fn at(&self) -> Option<char> {
        self.code_points.get(self.position).copied()
    }

    fn past_the_end(&self) -> bool {
        self.position >= self.code_points.len()
    }

    /// "Collect a sequence of code points".
    fn collect(&mut self, condition: impl Fn(char) -> bool) -> String {
        let mut result = String::new();
        while let Some(c) = self.at().filter(|&c| condition(c)) {
            result.push(c);
            self.position += 1;
        }
        result
    }

    /// "Collect an HTTP quoted string".
    fn collect_an_http_quoted_string(&mut self, extract_value: bool) -> String {
        // Steps 1-4.
        let position_start = self.position;
        let mut value = String::new();
        self.position += 1;
        // Step 5.
        loop {
            value += &self.collect(|c| c != '"' && c != '\\');
            let Some(quote_or_backslash) = self.at() else {
                break;
            };
            self.position += 1;
            if quote_or_backslash == '\\' {
                let Some(c) = self.at() else {
                    value.push('\\');
                    break;
                };
                value.push(c);
                self.position += 1;
            } else {
                break;
            }
        }
        // Steps 6-7.
        if extract_value {
            return value;
        }
        self.code_points[position_start..self.position]
            .iter()
            .collect()
    }
}

/// "Parse a MIME type".
pub(crate) fn parse_a_mime_type(input: &str) -> Option<MimeType> {
    // Steps 1-2.
    let mut input = Input::of(input.trim_matches(is_http_whitespace));
    // Steps 3-5.
    let kind = input.collect(|c| c != '/');
    if kind.is_empty() || !kind.chars().all(is_token) || input.past_the_end() {
        return None;
    }
    // Step 6.
    input.position += 1;
    // Steps 7-9.
    let subtype = input.collect(|c| c != ';');
    let subtype = subtype.trim_end_matches(is_http_whitespace);
    if subtype.is_empty() || !subtype.chars().all(is_token) {
        return None;
    }
    // Step 10.
    let mut mime_type = MimeType {
        kind: lower(&kind),
        subtype: lower(subtype),
        parameters: Vec::new(),
    };
    // Step 11.
    while !input.past_the_end() {
        // 11.1-11.4.
        input.position += 1;
        input.collect(is_http_whitespace);
        let parameter_name = lower(&input.collect(|c| c != ';' && c != '='));
        // 11.5.
        match input.at() {
            Some(';') => continue,
            Some(_) => input.position += 1,
            None => {}
        }
        // 11.6.
        if input.past_the_end() {
            break;
        }
        // 11.7-11.9.
        let parameter_value = if input.at() == Some('"') {
            let value = input.collect_an_http_quoted_string(true);
            input.collect(|c| c != ';');
            value
        } else {
            let value = input.collect(|c| c != ';');
            let value = value.trim_end_matches(is_http_whitespace).to_owned();
            if value.is_empty() {
                continue;
            }
            value
        };
        // 11.10.
        if !parameter_name.is_empty()
            && parameter_name.chars().all(is_token)
            && parameter_value.chars().all(is_quoted_string_token)
            && mime_type.parameter(&parameter_name).is_none()
        {
            mime_type.parameters.push((parameter_name, parameter_value));
        }
    }
    // Step 12.
    Some(mime_type)
}

/// "Get, decode, and split", of the header's combined value.
pub(crate) fn get_decode_and_split(value: &str) -> Vec<String> {
    let mut input = Input::of(value);
    let mut values = Vec::new();
    let mut temporary_value = String::new();
    loop {
        temporary_value += &input.collect(|c| c != '"' && c != ',');
        if input.at() == Some('"') {
            temporary_value += &input.collect_an_http_quoted_string(false);
            if !input.past_the_end() {
                continue;
            }
        }
        let tab_or_space = |c: char| c == '\t' || c == ' ';
        values.push(temporary_value.trim_matches(tab_or_space).to_owned());
        temporary_value.clear();
        if input.past_the_end() {
            return values;
        }
        input.position += 1;
    }
}

/// "Extract a MIME type", of the values of the Content-Type lines.
pub(crate) fn extract_a_mime_type(lines: &[Vec<u8>]) -> Option<MimeType> {
    // Steps 1-5. "Combine" joins with 2C 20.
    let mut charset: Option<String> = None;
    let mut essence: Option<String> = None;
    let mut mime_type: Option<MimeType> = None;
    if lines.is_empty() {
        return None;
    }
    let combined: Vec<String> = lines.iter().map(|line| isomorphic_decode(line)).collect();
    // Step 6.
    for value in get_decode_and_split(&combined.join(", ")) {
        let Some(mut temporary) = parse_a_mime_type(&value) else {
            continue;
        };
        if temporary.essence() == "*/*" {
            continue;
        }
        if essence.as_deref() != Some(&temporary.essence()) {
            charset = temporary.parameter("charset").map(str::to_owned);
            essence = Some(temporary.essence());
        } else if let (None, Some(charset)) = (temporary.parameter("charset"), &charset) {
            temporary
                .parameters
                .push(("charset".to_owned(), charset.clone()));
        }
        mime_type = Some(temporary);
    }
    // Steps 7-8.
    mime_type
}

/// "Legacy extract an encoding", with no fallback encoding.
pub(crate) fn legacy_extract_an_encoding(lines: &[Vec<u8>]) -> Option<Encoding> {
    let mime_type = extract_a_mime_type(lines)?;
    // Labels are compared as bytes; a code point above U+007F is in none.
    let label: Vec<u8> = mime_type
        .parameter("charset")?
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(0))
        .collect();
    get_an_encoding(&label)
}
