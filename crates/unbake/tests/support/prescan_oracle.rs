//! The prescan, read a second time: slow, one byte at a time, step by step as the HTML Standard numbers them.
//!
//! Written against the text alone and compared with the library. Nothing here is fast, and nothing is shared with it but
//! "get an encoding".
#![allow(dead_code)] // each user takes its part

use unbake::{Encoding, get_an_encoding};

/// The bytes ran out: the prescan is over, wherever it was.
struct EndOfBytes;

/// What the variable `charset` of the steps can be.
#[derive(Clone, Copy)]
enum Charset {
    Null,
    Failure,
    Is(Encoding),
}

struct Prescan<'a> {
    input: &'a [u8],
    position: usize,
}

/// "Prescan a byte stream to determine its encoding", of exactly these bytes.
pub(crate) fn prescan(input: &[u8]) -> Option<Encoding> {
    let mut prescan = Prescan { input, position: 0 };
    match prescan.run() {
        Ok(encoding) => Some(encoding),
        // "... then return the result of getting an XML encoding."
        Err(EndOfBytes) => get_an_xml_encoding(input),
    }
}

fn lower(byte: u8) -> u8 {
    if (0x41..=0x5A).contains(&byte) {
        byte + 0x20
    } else {
        byte
    }
}

fn letter(byte: u8) -> bool {
    (0x41..=0x5A).contains(&byte) || (0x61..=0x7A).contains(&byte)
}

fn one_of(byte: u8, set: &[u8]) -> bool {
    set.contains(&byte)
}

/// HT, LF, FF, CR, SP.
const SPACES: &[u8] = &[0x09, 0x0A, 0x0C, 0x0D, 0x20];

impl Prescan<'_> {
    fn byte(&self) -> Result<u8, EndOfBytes> {
        self.input.get(self.position).copied().ok_or(EndOfBytes)
    }

    fn advance(&mut self) {
        self.position += 1;
    }

    fn points_at(&self, offset: usize) -> Option<u8> {
        self.input.get(self.position + offset).copied()
    }

    fn points_at_sequence(&self, sequence: &[u8]) -> bool {
        (0..sequence.len()).all(|at| self.points_at(at) == Some(sequence[at]))
    }

    fn run(&mut self) -> Result<Encoding, EndOfBytes> {
        // Step 3.
        if self.points_at_sequence(&[0x3C, 0x00, 0x3F, 0x00, 0x78, 0x00]) {
            return Ok(Encoding::UTF_16LE);
        }
        if self.points_at_sequence(&[0x00, 0x3C, 0x00, 0x3F, 0x00, 0x78]) {
            return Ok(Encoding::UTF_16BE);
        }
        loop {
            // Step 4, "loop".
            let byte = self.byte()?;
            let second = self.points_at(1);
            let tag_name = if second == Some(0x2F) {
                self.points_at(2)
            } else {
                second
            };
            if self.points_at_sequence(&[0x3C, 0x21, 0x2D, 0x2D]) {
                // To the first 3E that two 2D precede and that comes after the 3C.
                let start = self.position;
                loop {
                    self.advance();
                    let at = self.position;
                    if self.byte()? == 0x3E
                        && at >= start + 4
                        && self.input[at - 1] == 0x2D
                        && self.input[at - 2] == 0x2D
                    {
                        break;
                    }
                }
            } else if self.is_meta() {
                self.position += 5;
                if let Some(encoding) = self.meta()? {
                    return Ok(encoding);
                }
            } else if byte == 0x3C && tag_name.is_some_and(letter) {
                while !one_of(self.byte()?, &[0x09, 0x0A, 0x0C, 0x0D, 0x20, 0x3E]) {
                    self.advance();
                }
                while self.get_an_attribute()?.is_some() {}
            } else if byte == 0x3C && second.is_some_and(|b| one_of(b, &[0x21, 0x2F, 0x3F])) {
                while self.byte()? != 0x3E {
                    self.advance();
                }
            }
            // Step 5, "next byte".
            self.advance();
        }
    }

    fn is_meta(&self) -> bool {
        let name = [0x6D, 0x65, 0x74, 0x61];
        self.points_at(0) == Some(0x3C)
            && (0..4).all(|at| self.points_at(at + 1).map(lower) == Some(name[at]))
            && self
                .points_at(5)
                .is_some_and(|b| one_of(b, &[0x09, 0x0A, 0x0C, 0x0D, 0x20, 0x2F]))
    }

    /// The steps for `<meta`; the position is on the byte after the name.
    fn meta(&mut self) -> Result<Option<Encoding>, EndOfBytes> {
        let mut attribute_list: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut need_pragma: Option<bool> = None;
        let mut charset = Charset::Null;
        while let Some((name, value)) = self.get_an_attribute()? {
            if attribute_list.contains(&name) {
                continue;
            }
            attribute_list.push(name.clone());
            match name.as_slice() {
                b"http-equiv" if value == b"content-type" => got_pragma = true,
                b"content" => {
                    if let (Some(encoding), Charset::Null) = (extract(&value), charset) {
                        charset = Charset::Is(encoding);
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = match get_an_encoding(&value) {
                        Some(encoding) => Charset::Is(encoding),
                        None => Charset::Failure,
                    };
                    need_pragma = Some(false);
                }
                _ => {}
            }
        }
        // "Processing".
        if need_pragma.is_none() || (need_pragma == Some(true) && !got_pragma) {
            return Ok(None);
        }
        Ok(match charset {
            Charset::Null | Charset::Failure => None,
            Charset::Is(e) if e.name() == "UTF-16BE" || e.name() == "UTF-16LE" => {
                Some(Encoding::UTF_8)
            }
            Charset::Is(e) if e.name() == "x-user-defined" => Some(Encoding::WINDOWS_1252),
            Charset::Is(e) => Some(e),
        })
    }

    /// "Get an attribute".
    #[allow(clippy::type_complexity)]
    fn get_an_attribute(&mut self) -> Result<Option<(Vec<u8>, Vec<u8>)>, EndOfBytes> {
        // Step 1.
        while one_of(self.byte()?, SPACES) || self.byte()? == 0x2F {
            self.advance();
        }
        // Step 2.
        if self.byte()? == 0x3E {
            return Ok(None);
        }
        // Step 3.
        let (mut name, mut value) = (Vec::new(), Vec::new());
        // Step 4.
        loop {
            let byte = self.byte()?;
            if byte == 0x3D && !name.is_empty() {
                self.advance();
                return self.value(name, value);
            } else if one_of(byte, SPACES) {
                break;
            } else if byte == 0x2F || byte == 0x3E {
                return Ok(Some((name, value)));
            }
            name.push(lower(byte));
            // Step 5.
            self.advance();
        }
        // Step 6, "spaces".
        while one_of(self.byte()?, SPACES) {
            self.advance();
        }
        // Step 7.
        if self.byte()? != 0x3D {
            return Ok(Some((name, value)));
        }
        // Step 8.
        self.advance();
        value.clear();
        self.value(name, value)
    }

    /// Steps 9-12, "value".
    #[allow(clippy::type_complexity)]
    fn value(
        &mut self,
        name: Vec<u8>,
        mut value: Vec<u8>,
    ) -> Result<Option<(Vec<u8>, Vec<u8>)>, EndOfBytes> {
        // Step 9.
        while one_of(self.byte()?, SPACES) {
            self.advance();
        }
        // Step 10.
        let byte = self.byte()?;
        if byte == 0x22 || byte == 0x27 {
            let quote = byte;
            loop {
                self.advance();
                let byte = self.byte()?;
                if byte == quote {
                    self.advance();
                    return Ok(Some((name, value)));
                }
                value.push(lower(byte));
            }
        }
        if byte == 0x3E {
            return Ok(Some((name, value)));
        }
        value.push(lower(byte));
        self.advance();
        // Step 11.
        loop {
            let byte = self.byte()?;
            if one_of(byte, SPACES) || byte == 0x3E {
                return Ok(Some((name, value)));
            }
            value.push(lower(byte));
            // Step 12.
            self.advance();
        }
    }
}

/// "Getting an XML encoding", its search bounded by the declaration's own end (see `docs/spec-map.md`).
pub(crate) fn get_an_xml_encoding(input: &[u8]) -> Option<Encoding> {
    let at = |position: usize| input.get(position).copied();
    let occurs = |position: usize, word: &[u8]| {
        (0..word.len()).all(|offset| at(position + offset) == Some(word[offset]))
    };
    // Steps 1-3.
    if !occurs(0, &[0x3C, 0x3F, 0x78, 0x6D, 0x6C]) {
        return None;
    }
    let end = (0..input.len()).find(|&position| input[position] == 0x3E)?;
    // Steps 4-5.
    let mut position = (0..end).find(|&position| occurs(position, b"encoding"))? + 8;
    // Steps 6-8.
    while at(position)? <= 0x20 {
        position += 1;
    }
    if at(position)? != 0x3D {
        return None;
    }
    position += 1;
    // Step 9.
    while at(position)? <= 0x20 {
        position += 1;
    }
    // Steps 10-12.
    let quote_mark = at(position)?;
    if quote_mark != 0x22 && quote_mark != 0x27 {
        return None;
    }
    position += 1;
    // Steps 13-14.
    let encoding_end = (position..input.len()).find(|&at| input[at] == quote_mark)?;
    let potential_encoding = &input[position..encoding_end];
    // Step 15.
    if potential_encoding.iter().any(|&byte| byte <= 0x20) {
        return None;
    }
    // Steps 16-18.
    let encoding = get_an_encoding(potential_encoding)?;
    let utf_16 = encoding.name() == "UTF-16BE" || encoding.name() == "UTF-16LE";
    Some(if utf_16 { Encoding::UTF_8 } else { encoding })
}

/// "Extracting a character encoding from a meta element".
pub(crate) fn extract(s: &[u8]) -> Option<Encoding> {
    // Step 1.
    let mut position = 0;
    let at = |position: usize| s.get(position).copied();
    loop {
        // Step 2, "loop".
        let word = b"charset";
        let matches = |from: usize| {
            (0..word.len()).all(|offset| at(from + offset).map(lower) == Some(word[offset]))
        };
        position = (position..s.len()).find(|&from| matches(from))? + word.len();
        // Step 3.
        while at(position).is_some_and(|b| one_of(b, SPACES)) {
            position += 1;
        }
        // Step 4.
        if at(position) == Some(0x3D) {
            position += 1;
            break;
        }
    }
    // Step 5.
    while at(position).is_some_and(|b| one_of(b, SPACES)) {
        position += 1;
    }
    // Step 6.
    let first = at(position)?;
    if first == 0x22 || first == 0x27 {
        let end = (position + 1..s.len()).find(|&from| s[from] == first)?;
        return get_an_encoding(&s[position + 1..end]);
    }
    let end = (position..s.len())
        .find(|&from| one_of(s[from], SPACES) || s[from] == 0x3B)
        .unwrap_or(s.len());
    get_an_encoding(&s[position..end])
}
