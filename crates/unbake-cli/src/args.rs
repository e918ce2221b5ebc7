//! The options shared by all commands that decide, and what they mean.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::{Args, ValueEnum};
use unbake::{Context, Encoding, Format, Parent, Profile, get_an_encoding, nearest_labels};
use unbake_io::{clean_tld, shorten, top_level_domain};

use crate::messages::{CliError, plain, say};

/// What is known about the documents beside their bytes.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is known beside the bytes")]
pub(crate) struct DecideArgs {
    /// Value of the Content-Type header; once for each header line
    #[arg(long, value_name = "VALUE")]
    content_type: Vec<OsString>,
    /// Format, instead of what the Content-Type or the file name says
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub(crate) format: Option<Format>,
    /// pipeline: what the author meant; browser: what a visitor sees; standard: what the text of the standard says
    #[arg(
        long,
        value_enum,
        default_value = "pipeline",
        hide_possible_values = true
    )]
    profile: ProfileName,
    /// Encoding that beats all but a byte order mark
    #[arg(long, value_name = "LABEL", alias = "charset")]
    encoding: Option<String>,
    /// Last resort instead of windows-1252
    #[arg(long, value_name = "LABEL")]
    fallback: Option<String>,
    /// Locale whose usual encoding is the last resort, as `ja`
    #[arg(long, value_name = "TAG")]
    locale: Option<String>,
    /// Language of the text, a hint for the detector
    #[arg(long, value_name = "TAG")]
    lang: Option<String>,
    /// Top-level domain, a hint for the detector
    #[arg(long, value_name = "TLD")]
    tld: Option<String>,
    /// Address of the document: stands in records, and names the domain
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// Encoding of the document in whose frame this one is shown
    #[arg(long, value_name = "LABEL")]
    parent_encoding: Option<String>,
    /// The parent document is of the same origin
    #[arg(long, requires = "parent_encoding")]
    parent_same_origin: bool,
    /// Encoding on an earlier visit
    #[arg(long, value_name = "LABEL")]
    remembered: Option<String>,
    /// The bytes are a local file, not from the network
    #[arg(long)]
    local_file: bool,
    /// Ask the detector, whatever the profile says
    #[arg(long, overrides_with = "no_detect")]
    detect: bool,
    /// Never ask the detector
    #[arg(long, overrides_with = "detect")]
    no_detect: bool,
}

/// How the bytes are read.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// Stop at the first malformed sequence, with exit code 1
    #[arg(long)]
    pub(crate) strict: bool,
    /// Read in chunks of this size; the answer does not depend on it
    #[arg(long, value_name = "BYTES", value_parser = parse_buffer_size)]
    pub(crate) buffer_size: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ProfileName {
    #[default]
    Pipeline,
    Browser,
    Standard,
}

impl DecideArgs {
    /// What was said about the detector. It holds whatever the profile, also a row's own.
    pub(crate) fn detector(&self) -> Option<bool> {
        (self.detect || self.no_detect).then_some(!self.no_detect)
    }

    /// The context that the options describe.
    pub(crate) fn context(&self) -> Result<Context, CliError> {
        let mut context = Context::new(match self.profile {
            ProfileName::Pipeline => Profile::Pipeline,
            ProfileName::Browser => Profile::Browser,
            ProfileName::Standard => Profile::Standard,
        });
        if let Some(detector) = self.detector() {
            context.settings.detector = detector;
        }
        context.format = self.format;
        context.content_type = self
            .content_type
            .iter()
            .map(|value| value.as_bytes().to_vec())
            .collect();
        context.user_override = optional_encoding(self.encoding.as_deref())?;
        context.fallback = optional_encoding(self.fallback.as_deref())?;
        context.remembered = optional_encoding(self.remembered.as_deref())?;
        context.parent =
            optional_encoding(self.parent_encoding.as_deref())?.map(|encoding| Parent {
                encoding,
                same_origin: self.parent_same_origin,
            });
        context.locale.clone_from(&self.locale);
        context.lang.clone_from(&self.lang);
        context.tld = self
            .tld
            .as_deref()
            .map(clean_tld)
            .or_else(|| self.url.as_deref().and_then(top_level_domain));
        context.local_file = self.local_file;
        self.doubt();
        Ok(context)
    }

    /// Says what was given and can hardly be meant.
    fn doubt(&self) {
        for value in &self.content_type {
            let value = value.to_string_lossy();
            let essence = value.split(';').next().unwrap_or_default();
            let has_name = value
                .get(..13)
                .is_some_and(|name| name.eq_ignore_ascii_case("content-type:"));
            if has_name {
                note(
                    "--content-type",
                    &value,
                    "give the value alone, without the header's name",
                );
            } else if !essence.contains('/') {
                note(
                    "--content-type",
                    &value,
                    "it is no MIME type and counts for nothing; as `text/html; charset=utf-8`",
                );
            }
        }
        for (option, tag) in [("--locale", &self.locale), ("--lang", &self.lang)] {
            if let Some(tag) = tag
                && let Some(doubt) = doubt_tag(tag)
            {
                note(option, tag, &doubt);
            }
        }
        if let Some(url) = &self.url
            && !has_scheme(url)
        {
            note(
                "--url",
                url,
                "it is no address, as `https://example.org/page`",
            );
        }
    }
}

fn note(option: &str, value: &str, doubt: &str) {
    let note = format!("note: `{option} {}`: {doubt}", shorten(value));
    say(&format!("{}\n", plain(&note)));
}

/// Why a language tag can hardly be meant.
fn doubt_tag(tag: &str) -> Option<String> {
    let language = tag.split(['-', '_', '.', '@']).next().unwrap_or_default();
    let is_language =
        matches!(language.len(), 2..=8) && language.bytes().all(|b| b.is_ascii_alphabetic());
    if !is_language && !matches!(language, "C" | "x" | "i") {
        return Some("it is no language tag, as `ja` or `zh-TW`".to_owned());
    }
    // Countries that are often taken for their languages, and are no languages themselves.
    let meant = match language.to_ascii_lowercase().as_str() {
        "jp" => "ja",
        "cn" => "zh-CN",
        "tw" => "zh-TW",
        "cz" => "cs",
        "dk" => "da",
        "gr" => "el",
        "ua" => "uk",
        _ => return None,
    };
    Some(format!("that is a country; its language is `{meant}`"))
}

/// Does it begin as an address does?
fn has_scheme(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

fn optional_encoding(label: Option<&str>) -> Result<Option<Encoding>, CliError> {
    label.map(parse_label).transpose()
}

/// The encoding of a label on the command line.
pub(crate) fn parse_label(label: &str) -> Result<Encoding, CliError> {
    get_an_encoding(label.as_bytes()).ok_or_else(|| unknown_label(label))
}

fn unknown_label(label: &str) -> CliError {
    let unknown = CliError::new(format!("unknown encoding label `{}`", shorten(label)));
    if label.trim().to_ascii_lowercase().starts_with("utf-32") {
        return unknown.hint(
            "the web has no UTF-32; `--format text`, `csv` or `yaml` reads it where a byte order mark says so, and `unbake encode` writes it",
        );
    }
    let near: Vec<String> = nearest_labels(label)
        .into_iter()
        .map(|near| format!("`{near}`"))
        .collect();
    if near.is_empty() {
        unknown.hint("`unbake labels` lists all labels")
    } else {
        unknown.hint(format!(
            "did you mean {}? `unbake labels` lists all labels",
            near.join(" or ")
        ))
    }
}

fn parse_format(name: &str) -> Result<Format, String> {
    Format::from_id(name).ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|format| format.id()).collect();
        format!("the formats are {}", known.join(", "))
    })
}

pub(crate) fn parse_buffer_size(size: &str) -> Result<usize, String> {
    match size.parse::<usize>() {
        Ok(0) => Err("a buffer holds at least 1 byte".to_owned()),
        Ok(bytes) if bytes > 1 << 30 => Err("a buffer holds at most 1073741824 bytes".to_owned()),
        Ok(bytes) => Ok(bytes),
        Err(_) => Err("a number of bytes is wanted, as 4096".to_owned()),
    }
}
