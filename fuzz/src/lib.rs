//! Fuzz targets. Each is a module with one function `run(data)`, which panics where a law of the library is broken.
//!
//! To add one: write `src/NAME.rs`, add a line to [`TARGETS`], a file `fuzz_targets/NAME.rs` like the others, and its `[[bin]]` in `Cargo.toml`.
//! The replay (`cargo test --no-default-features`) then runs it too, on stable, without a fuzzer.

pub mod content_type;
pub mod detect;
pub mod prescan_vs_oracle;
pub mod sniff;
pub mod stream_vs_whole;
pub mod tree_builder;

#[path = "../../crates/unbake/tests/support/content_type_oracle.rs"]
mod content_type_oracle;
#[path = "../../crates/unbake/tests/support/hostile.rs"]
mod hostile;
#[path = "../../crates/unbake/tests/support/laws.rs"]
mod laws;
#[path = "../../crates/unbake/tests/support/prescan_oracle.rs"]
mod prescan_oracle;

/// A target: its name, what runs it, and pieces of the input it is about, for seeded runs.
pub struct Target {
    /// The name of its module, its binary and its folder in `testdata/regressions`.
    pub name: &'static str,
    /// Panics where a law is broken.
    pub run: fn(&[u8]),
    /// An input made from numbers, likelier to matter than random bytes.
    pub make: fn(&[u16]) -> Vec<u8>,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "sniff",
        run: sniff::run,
        make: with_context,
    },
    Target {
        name: "stream_vs_whole",
        run: stream_vs_whole::run,
        make: with_context,
    },
    Target {
        name: "prescan_vs_oracle",
        run: prescan_vs_oracle::run,
        make: hostile::page,
    },
    Target {
        name: "content_type",
        run: content_type::run,
        make: laws::header,
    },
    Target {
        name: "detect",
        run: detect::run,
        make: undeclared,
    },
    Target {
        name: "tree_builder",
        run: tree_builder::run,
        make: hostile::page,
    },
];

/// The first eight bytes of an input are the context, the rest the document.
fn context_and_document(data: &[u8]) -> Option<(u64, &[u8])> {
    let (context, document) = data.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*context), document))
}

fn with_context(choices: &[u16]) -> Vec<u8> {
    let (context, page) = choices.split_at(choices.len().min(4));
    let mut data: Vec<u8> = context.iter().flat_map(|n| n.to_le_bytes()).collect();
    data.resize(8, 0);
    data.extend(hostile::page(page));
    data
}

/// A context and a document that declares nothing: runs of ASCII and of other bytes.
fn undeclared(choices: &[u16]) -> Vec<u8> {
    let mut data: Vec<u8> = choices
        .iter()
        .take(4)
        .flat_map(|n| n.to_le_bytes())
        .collect();
    data.resize(8, 0);
    for choice in choices.iter().skip(4) {
        let [kind, value] = choice.to_le_bytes();
        let len = usize::from(kind >> 3);
        match kind & 7 {
            0 => data.extend_from_slice(b"<p class=a>"),
            1 => data.extend("the old word ".bytes().cycle().take(len)),
            2 => data.extend(
                "\u{439}\u{5d0}\u{4e00}\u{e9}"
                    .bytes()
                    .cycle()
                    .skip(usize::from(value))
                    .take(len),
            ),
            3 => data.extend([value, 0x1b, b'$', b'B', value]),
            4 => data.extend([value, 0]),
            _ => data.extend((0..len).map(|n| 0x80 | value.wrapping_mul(n as u8 | 1))),
        }
    }
    data
}

/// A generator of numbers for seeded runs: the same seed, the same numbers.
pub struct Seeded(hostile::Random);

impl Seeded {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Seeded {
        Seeded(hostile::Random::new(seed))
    }

    /// One to `most` numbers.
    pub fn choices(&mut self, most: usize) -> Vec<u16> {
        self.0.choices(most)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }
}
