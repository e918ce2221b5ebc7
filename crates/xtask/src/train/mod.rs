//! `cargo xtask train`: the detector's model from the corpora of `data/manifest.toml`.
#![allow(
    clippy::cast_precision_loss, // counts become probabilities
    clippy::cast_sign_loss,
    clippy::disallowed_methods, // texts of test sets are read to be left out; names in archives are ASCII
    clippy::similar_names,
    clippy::type_complexity,
    clippy::format_push_string,
    clippy::case_sensitive_file_extension_comparisons
)]

mod alphabet;
mod cjk;
mod corpus;
mod encodings;
mod extract;
mod lm;
mod single;

use std::fs;
use std::path::{Path, PathBuf};

/// The version of the model's layout; `detect/model.rs` refuses any other at compile time.
const VERSION: u32 = 2;

/// Trains and writes `crates/unbake/src/detect/model.bin`.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let permissive = options.contains(&"--permissive-only");
    let out = options
        .iter()
        .skip_while(|o| **o != "--out")
        .nth(1)
        .map_or_else(
            || root.join("crates/unbake/src/detect/model.bin"),
            PathBuf::from,
        );
    let text = fs::read_to_string(root.join("data/manifest.toml"))
        .map_err(|e| format!("cannot read `data/manifest.toml`: {e}"))?;
    let manifest: corpus::Manifest = toml::from_str(&text).map_err(|e| e.to_string())?;
    let corpus = corpus::Corpus::load(root, &manifest, permissive)?;
    crate::say(&format!(
        "{} lines left out because a test set holds them",
        corpus.excluded
    ));
    let mut sections: Vec<Vec<u8>> = Vec::new();
    single::build(&corpus, &mut sections)?;
    cjk::build(&corpus, &mut sections)?;
    let mut file = b"UBDM".to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((sections.len() as u32).to_le_bytes());
    let mut at = 12 + 8 * sections.len();
    for s in &sections {
        file.extend((at as u32).to_le_bytes());
        file.extend((s.len() as u32).to_le_bytes());
        at += s.len();
    }
    for s in &sections {
        file.extend_from_slice(s);
    }
    crate::say(&format!("model: {} bytes", file.len()));
    fs::write(&out, &file).map_err(|e| format!("cannot write `{}`: {e}", out.display()))?;
    Ok(())
}
