//! The indexes of the Encoding Standard, read from its own files.

use std::collections::BTreeMap;
use std::path::Path;

/// "index code point" and "index pointer".
pub(crate) struct Index {
    code_points: Vec<Option<char>>,
    /// The first pointer of each code point.
    pointers: BTreeMap<char, usize>,
}

impl Index {
    fn read(path: &Path) -> Index {
        let mut index = Index {
            code_points: Vec::new(),
            pointers: BTreeMap::new(),
        };
        for (pointer, code_point) in rows(path) {
            let character = char::from_u32(code_point).expect("a scalar value");
            index.code_points.resize(pointer + 1, None);
            index.code_points[pointer] = Some(character);
            index.pointers.entry(character).or_insert(pointer);
        }
        assert!(!index.pointers.is_empty(), "{} is empty", path.display());
        index
    }

    pub(crate) fn code_point(&self, pointer: usize) -> Option<char> {
        self.code_points.get(pointer).copied().flatten()
    }

    pub(crate) fn pointer(&self, code_point: char) -> Option<usize> {
        self.pointers.get(&code_point).copied()
    }

    /// The first pointer of a code point among those that `allowed` accepts.
    pub(crate) fn pointer_among(
        &self,
        code_point: char,
        allowed: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let first = self.pointer(code_point)?;
        (first..self.code_points.len())
            .find(|&pointer| allowed(pointer) && self.code_points[pointer] == Some(code_point))
    }

    /// The last pointer of a code point.
    pub(crate) fn last_pointer(&self, code_point: char) -> Option<usize> {
        self.code_points
            .iter()
            .rposition(|&c| c == Some(code_point))
    }
}

/// Pointer and code point of each row.
fn rows(path: &Path) -> Vec<(usize, u32)> {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    let row = |line: &str| {
        let mut fields = line.split_whitespace();
        let pointer = fields.next()?.parse().ok()?;
        let code_point = fields.next()?.strip_prefix("0x")?;
        Some((pointer, u32::from_str_radix(code_point, 16).ok()?))
    };
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| row(line).unwrap_or_else(|| panic!("{}: {line}", path.display())))
        .collect()
}

/// All indexes.
pub(crate) struct Indexes {
    pub(crate) big5: Index,
    pub(crate) euc_kr: Index,
    pub(crate) gb18030: Index,
    pub(crate) gb18030_ranges: Vec<(usize, u32)>,
    pub(crate) jis0208: Index,
    pub(crate) jis0212: Index,
    pub(crate) iso_2022_jp_katakana: Index,
    single_byte: BTreeMap<String, Index>,
}

impl Indexes {
    pub(crate) fn read(folder: &Path) -> Indexes {
        let index = |name: &str| Index::read(&folder.join(format!("index-{name}.txt")));
        let multi = [
            "big5",
            "euc-kr",
            "gb18030",
            "gb18030-ranges",
            "jis0208",
            "jis0212",
            "iso-2022-jp-katakana",
        ];
        let single_byte = std::fs::read_dir(folder)
            .expect("the folder of the indexes")
            .filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                let name = name.strip_prefix("index-")?.strip_suffix(".txt")?;
                (!multi.contains(&name)).then(|| (name.to_owned(), index(name)))
            })
            .collect();
        Indexes {
            big5: index("big5"),
            euc_kr: index("euc-kr"),
            gb18030: index("gb18030"),
            gb18030_ranges: rows(&folder.join("index-gb18030-ranges.txt")),
            jis0208: index("jis0208"),
            jis0212: index("jis0212"),
            iso_2022_jp_katakana: index("iso-2022-jp-katakana"),
            single_byte,
        }
    }

    /// The index of a single-byte encoding, by the encoding's name.
    pub(crate) fn single_byte(&self, name: &str) -> Option<&Index> {
        // ISO-8859-8-I differs from ISO-8859-8 in its name alone.
        let name = name.to_ascii_lowercase();
        self.single_byte.get(name.trim_end_matches("-i"))
    }

    /// "Index gb18030 ranges code point".
    pub(crate) fn ranges_code_point(&self, pointer: usize) -> Option<char> {
        // Steps 1-2.
        if (pointer > 39_419 && pointer < 189_000) || pointer > 1_237_575 {
            return None;
        }
        if pointer == 7457 {
            return Some('\u{E7C7}');
        }
        // Steps 3-4.
        let &(offset, code_point) = self
            .gb18030_ranges
            .iter()
            .rfind(|&&(start, _)| start <= pointer)?;
        char::from_u32(code_point + (pointer - offset) as u32)
    }

    /// "Index gb18030 ranges pointer".
    pub(crate) fn ranges_pointer(&self, code_point: char) -> usize {
        if code_point == '\u{E7C7}' {
            return 7457;
        }
        let code_point = u32::from(code_point);
        let &(pointer, offset) = self
            .gb18030_ranges
            .iter()
            .rfind(|&&(_, start)| start <= code_point)
            .expect("a range");
        pointer + (code_point - offset) as usize
    }
}
