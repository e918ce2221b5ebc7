//! The corpora: fetched by the ordinary clients, checked by hash, read as lines by language.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::extract;

/// `data/manifest.toml`.
#[derive(Deserialize)]
pub(crate) struct Manifest {
    pub(crate) package: Vec<Package>,
}

/// One package of the manifest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Package {
    pub(crate) from: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) file: String,
    pub(crate) sha256: String,
    pub(crate) licence: String,
}

/// Lines of one language; the weight says how often each counts.
#[derive(Default)]
pub(crate) struct Corpus {
    /// language tag -> (kind of source -> lines, keyed by a hash that also orders them)
    pub(crate) lines: BTreeMap<String, BTreeMap<&'static str, BTreeMap<u64, String>>>,
    /// Lines left out because a test set holds them.
    pub(crate) excluded: usize,
    /// Chinese characters with their frequency in general text (from jieba's dictionary).
    pub(crate) hanzi: BTreeMap<char, u64>,
    /// Simplified to traditional.
    pub(crate) traditional: BTreeMap<char, char>,
}

/// Bytes taken from each kind of source, and the weight of a line.
pub(crate) const SOURCES: [(&str, usize, u32); 8] = [
    ("lingua", 400_000, 3),
    ("fortunes", 300_000, 2),
    ("help", 300_000, 1),
    ("gnome", 300_000, 1),
    ("gimp-help", 200_000, 1),
    ("guide", 150_000, 1),
    ("mo", 350_000, 1),
    ("xpi", 150_000, 1),
];

impl Corpus {
    /// Reads every package of the manifest.
    pub(crate) fn load(
        root: &Path,
        manifest: &Manifest,
        permissive: bool,
    ) -> Result<Corpus, String> {
        let cache = root.join("target/corpora");
        let fingerprints = Fingerprints::load(root);
        let mut corpus = Corpus::default();
        for p in &manifest.package {
            if permissive && !["Apache-2.0", "MIT"].contains(&p.licence.as_str()) {
                continue;
            }
            let path = fetch(&cache, manifest, p)?;
            let bytes =
                fs::read(&path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
            let hash = hex(&Sha256::digest(&bytes));
            if hash != p.sha256 {
                return Err(format!(
                    "`{}` {} has sha256 {hash}, the manifest says {}",
                    p.name, p.version, p.sha256
                ));
            }
            let before = corpus.count();
            match p.from.as_str() {
                "rust" => {
                    let language = p
                        .name
                        .trim_start_matches("lingua-")
                        .trim_end_matches("-language-model");
                    let text = String::from_utf8(bytes).map_err(|e| e.to_string())?;
                    corpus.add(
                        &fingerprints,
                        lingua_tag(language),
                        "lingua",
                        extract::lines(&text),
                    );
                }
                "python" if p.name == "jieba" => corpus.hanzi = jieba(&bytes)?,
                "python" => corpus.traditional = opencc(&bytes)?,
                _ => {
                    let dir = unpack(&cache, p, &path)?;
                    corpus.walk(&fingerprints, &dir)?;
                }
            }
            if p.from != "python" && corpus.count() == before && corpus.excluded == 0 {
                return Err(format!("`{}` gave no text", p.name));
            }
        }
        Ok(corpus)
    }

    fn count(&self) -> usize {
        self.lines
            .values()
            .flat_map(BTreeMap::values)
            .map(BTreeMap::len)
            .sum()
    }

    fn add(
        &mut self,
        fingerprints: &Fingerprints,
        tag: &str,
        kind: &'static str,
        lines: Vec<String>,
    ) {
        let into = self
            .lines
            .entry(tag.to_owned())
            .or_default()
            .entry(kind)
            .or_default();
        for line in lines {
            if fingerprints.holds(&line) {
                self.excluded += 1;
            } else {
                into.insert(hash(line.as_bytes()), line);
            }
        }
    }

    fn walk(&mut self, fingerprints: &Fingerprints, dir: &Path) -> Result<(), String> {
        let mut entries: Vec<PathBuf> = fs::read_dir(dir)
            .map_err(|e| format!("cannot read `{}`: {e}", dir.display()))?
            .filter_map(|e| e.ok().map(|e| e.path()))
            .collect();
        entries.sort();
        for path in entries {
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                self.walk(fingerprints, &path)?;
                continue;
            }
            let parts: Vec<&str> = path.iter().filter_map(|p| p.to_str()).collect();
            let after = |name: &str| {
                parts
                    .iter()
                    .position(|p| *p == name)
                    .and_then(|i| parts.get(i + 1))
                    .copied()
            };
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            let found: Option<(String, &'static str)> = if extension == "mo" {
                after("locale").map(|l| (l.to_owned(), "mo"))
            } else if extension == "xpi" {
                path.file_name()
                    .and_then(|n| n.to_str())
                    .and_then(|n| n.strip_prefix("langpack-"))
                    .and_then(|n| n.split('@').next())
                    .map(|l| (l.to_owned(), "xpi"))
            } else if parts.contains(&"libreoffice") && extension == "html" {
                after("help").map(|l| (l.to_owned(), "help"))
            } else if extension == "page" {
                after("help").map(|l| (l.to_owned(), "gnome"))
            } else if parts.contains(&"gimp") && extension == "html" {
                after("help").map(|l| (l.to_owned(), "gimp-help"))
            } else if parts.contains(&"installation-guide-amd64") && extension == "html" {
                after("installation-guide-amd64").map(|l| (l.to_owned(), "guide"))
            } else if let Some(package) = parts
                .iter()
                .find(|p| p.starts_with("debian-reference-") || p.starts_with("debian-faq-"))
                .filter(|_| extension == "html")
            {
                package
                    .rsplitn(3, '-')
                    .take(2)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .reduce(|_, b| b)
                    .map(|b| (format!("zh_{}", b.to_uppercase()), "guide"))
            } else if let Some(l) =
                after("fortunes").filter(|_| extension != "dat" && extension != "u8")
            {
                if path.extension().is_none() || l.len() == 2 {
                    let package = parts
                        .iter()
                        .find_map(|p| p.strip_prefix("fortunes-"))
                        .unwrap_or("");
                    Some((package.to_owned(), "fortunes"))
                } else {
                    None
                }
            } else {
                None
            };
            let Some((tag, kind)) = found else { continue };
            let Some(tag) = tag_of(&tag) else { continue };
            let kept = self
                .lines
                .get(tag)
                .and_then(|k| k.get(kind))
                .map_or(0, BTreeMap::len);
            if kept > 12_000 {
                continue;
            }
            let bytes =
                fs::read(&path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
            let lines = match kind {
                "mo" => extract::mo(&bytes),
                "xpi" => extract::xpi(&bytes),
                _ => {
                    let Ok(text) = String::from_utf8(bytes) else {
                        continue;
                    };
                    if kind == "fortunes" {
                        extract::lines(&text)
                    } else {
                        extract::markup(&text)
                    }
                }
            };
            self.add(fingerprints, tag, kind, lines);
        }
        Ok(())
    }

    /// The lines of a language, at most the cap of each kind of source, with their weight.
    pub(crate) fn text(&self, tag: &str) -> Vec<(&str, u32)> {
        let mut out = Vec::new();
        let Some(kinds) = self.lines.get(tag) else {
            return out;
        };
        let mut seen = BTreeSet::new();
        for (kind, cap, weight) in SOURCES {
            let mut bytes = 0;
            for (h, line) in kinds.get(kind).into_iter().flatten() {
                if bytes > cap {
                    break;
                }
                if seen.insert(*h) {
                    bytes += line.chars().count();
                    out.push((line.as_str(), weight));
                }
            }
        }
        out
    }
}

/// The shingles of every text that a test set holds; a training line that shares one is left out.
struct Fingerprints(HashSet<u64>);

const SHINGLE: usize = 28;

fn letters(text: &str) -> Vec<char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

impl Fingerprints {
    /// From `shared/detect`; an empty set when the suite is absent.
    fn load(root: &Path) -> Fingerprints {
        let shared =
            std::env::var_os("UNBAKE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
        let mut set = HashSet::new();
        let Ok(list) = fs::read_to_string(shared.join("detect/open.jsonl")) else {
            return Fingerprints(set);
        };
        for row in list.lines() {
            let field = |name: &str| {
                row.split(&format!("\"{name}\": \""))
                    .nth(1)
                    .and_then(|r| r.split('"').next())
            };
            let (Some(path), Some(encoding)) = (field("path"), field("encoding")) else {
                continue;
            };
            let Some(encoding) = encoding_rs::Encoding::for_label(encoding.as_bytes()) else {
                continue;
            };
            let Ok(bytes) = fs::read(shared.join("detect").join(path)) else {
                continue;
            };
            let text = letters(&encoding.decode_with_bom_removal(&bytes).0);
            for w in text.windows(SHINGLE) {
                set.insert(hash_chars(w));
            }
        }
        Fingerprints(set)
    }

    fn holds(&self, line: &str) -> bool {
        !self.0.is_empty()
            && letters(line)
                .windows(SHINGLE)
                .any(|w| self.0.contains(&hash_chars(w)))
    }
}

fn hash_chars(chars: &[char]) -> u64 {
    chars.iter().fold(0xcbf2_9ce4_8422_2325, |h, c| {
        (h ^ u64::from(u32::from(*c))).wrapping_mul(0x0100_0000_01b3)
    })
}

pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let h = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    });
    (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|e| format!("cannot run `{command:?}`: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{command:?}` failed"))
    }
}

/// The package's file in the cache, fetched when it is not there.
fn fetch(cache: &Path, manifest: &Manifest, p: &Package) -> Result<PathBuf, String> {
    let (dir, path) = match p.from.as_str() {
        "debian" => (cache.join("debs"), cache.join("debs").join(&p.file)),
        "python" => (cache.join("pip"), cache.join("pip").join(&p.file)),
        "rust" => (
            cache.join("lingua"),
            cache.join("lingua/vendor").join(&p.name).join(&p.file),
        ),
        other => return Err(format!("`{}`: unknown origin `{other}`", p.name)),
    };
    if path.exists() {
        return Ok(path);
    }
    fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    match p.from.as_str() {
        "debian" => run(Command::new("apt-get").current_dir(&dir).args([
            "download",
            "-q",
            &format!("{}={}", p.name, p.version),
        ]))?,
        "python" => run(Command::new("pip").current_dir(&dir).args([
            "download",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            &format!("{}=={}", p.name, p.version),
        ]))?,
        _ => {
            let mut toml = "[package]\nname = \"corpora\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n".to_owned();
            for q in manifest.package.iter().filter(|q| q.from == "rust") {
                toml.push_str(&format!("{} = \"={}\"\n", q.name, q.version));
            }
            fs::create_dir_all(dir.join("src")).map_err(|e| e.to_string())?;
            fs::write(dir.join("src/lib.rs"), "").map_err(|e| e.to_string())?;
            fs::write(dir.join("Cargo.toml"), toml).map_err(|e| e.to_string())?;
            run(Command::new("cargo")
                .current_dir(&dir)
                .args(["vendor", "-q", "vendor"]))?;
        }
    }
    Ok(path)
}

fn unpack(cache: &Path, p: &Package, file: &Path) -> Result<PathBuf, String> {
    let dir = cache.join("x").join(&p.name);
    if !dir.exists() {
        fs::create_dir_all(cache.join("x")).map_err(|e| e.to_string())?;
        run(Command::new("dpkg-deb").arg("-x").arg(file).arg(&dir))?;
    }
    Ok(dir)
}

/// Characters of jieba's dictionary, by the frequency of the words that hold them.
fn jieba(bytes: &[u8]) -> Result<BTreeMap<char, u64>, String> {
    use std::io::Read as _;
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(bytes)
        .read_to_end(&mut tar)
        .map_err(|e| e.to_string())?;
    let mut at = 0;
    while let Some(head) = tar.get(at..at + 512) {
        let name = String::from_utf8_lossy(&head[..100]);
        let size = String::from_utf8_lossy(&head[124..136]);
        let size = usize::from_str_radix(size.trim_matches(['\0', ' ']), 8).unwrap_or(0);
        if name.trim_end_matches('\0').ends_with("/jieba/dict.txt") {
            let text =
                std::str::from_utf8(tar.get(at + 512..at + 512 + size).ok_or("short archive")?)
                    .map_err(|e| e.to_string())?;
            let mut out = BTreeMap::new();
            for line in text.lines() {
                let mut fields = line.split(' ');
                let (Some(word), Some(n)) = (fields.next(), fields.next()) else {
                    continue;
                };
                let n: u64 = n.parse().unwrap_or(0);
                for c in word
                    .chars()
                    .filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c))
                {
                    *out.entry(c).or_default() += n;
                }
            }
            return Ok(out);
        }
        at += 512 + size.div_ceil(512) * 512;
    }
    Err("no `dict.txt` in jieba".to_owned())
}

/// OpenCC's table of simplified to traditional characters, first choice.
fn opencc(bytes: &[u8]) -> Result<BTreeMap<char, char>, String> {
    use std::io::Read as _;
    let mut archive =
        zip::ZipArchive::new(std::io::Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let mut text = String::new();
    archive
        .by_name("opencc/dictionary/STCharacters.txt")
        .map_err(|e| e.to_string())?
        .read_to_string(&mut text)
        .map_err(|e| e.to_string())?;
    Ok(text
        .lines()
        .filter_map(|l| {
            let (a, b) = l.split_once('\t')?;
            Some((a.chars().next()?, b.chars().next()?))
        })
        .collect())
}

fn lingua_tag(name: &str) -> &str {
    match name {
        "afrikaans" => "af",
        "albanian" => "sq",
        "arabic" => "ar",
        "basque" => "eu",
        "belarusian" => "be",
        "bokmal" => "nb",
        "bosnian" | "croatian" => "hr",
        "bulgarian" => "bg",
        "catalan" => "ca",
        "chinese" => "zh-Hans",
        "czech" => "cs",
        "danish" => "da",
        "dutch" => "nl",
        "english" => "en",
        "esperanto" => "eo",
        "estonian" => "et",
        "finnish" => "fi",
        "french" => "fr",
        "german" => "de",
        "greek" => "el",
        "hebrew" => "he",
        "hungarian" => "hu",
        "icelandic" => "is",
        "indonesian" | "malay" => "id",
        "irish" => "ga",
        "italian" => "it",
        "japanese" => "ja",
        "korean" => "ko",
        "latin" => "la",
        "latvian" => "lv",
        "lithuanian" => "lt",
        "macedonian" => "mk",
        "nynorsk" => "nn",
        "persian" => "fa",
        "polish" => "pl",
        "portuguese" => "pt",
        "romanian" => "ro",
        "russian" => "ru",
        "serbian" => "sr",
        "slovak" => "sk",
        "slovene" => "sl",
        "spanish" => "es",
        "swahili" => "sw",
        "swedish" => "sv",
        "thai" => "th",
        "turkish" => "tr",
        "ukrainian" => "uk",
        "urdu" => "ur",
        "vietnamese" => "vi",
        "welsh" => "cy",
        "mongolian" => "mn",
        "kazakh" => "kk",
        other => other,
    }
}

/// Our tag for a package's language code, `None` for languages without a model.
fn tag_of(code: &str) -> Option<&'static str> {
    let code = code.replace('_', "-");
    Some(match code.as_str() {
        "zh-CN" | "zh-cn" | "zh" | "zh-Hans" => "zh-Hans",
        "zh-TW" | "zh-tw" | "zh-HK" | "zh-Hant" => "zh-Hant",
        "sr@latin" | "bs" | "hr" => "hr",
        "ja" => "ja",
        "ko" => "ko",
        "pt-BR" | "pt-br" | "pt-PT" => "pt",
        "fy-NL" | "fy-nl" => "fy",
        "ga-IE" | "ga-ie" => "ga",
        "sv-SE" | "sv-se" => "sv",
        "nb-NO" | "no" => "nb",
        "nn-NO" => "nn",
        "en-US" | "en-us" | "en-GB" | "C" => "en",
        "es-ES" | "es-es" | "es-MX" | "es-AR" => "es",
        "ms" | "in" => "id",
        "ca@valencia" => "ca",
        "ca-valencia" => "ca",
        code => super::alphabet::GROUPS
            .iter()
            .flat_map(|g| g.lanes)
            .find(|l| **l == code)
            .copied()?,
    })
}
