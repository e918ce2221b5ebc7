//! How fast an archive is read, against bare decompression of the same bytes. CPU time, one core.
//!
//! `cargo run --release -p unbake-io --example speed [PAGES [OUT]]`

use std::io::{Read, Write};

use unbake::Context;
use unbake_io::batch::{Batch, Outcome, Progress, Target};
use unbake_io::generate::{Packing, Recipe, archive};
use unbake_io::{Document, Form, From, Input, Item, Limits, Options, Reading, Row, WarcReader};

/// User and system time of this process, in seconds.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: Vec<f64> = stat
        .split(' ')
        .skip(13)
        .take(2)
        .filter_map(|t| t.parse().ok())
        .collect();
    ticks.iter().sum::<f64>() / 100.0
}

fn measure(name: &str, bytes: usize, mut run: impl FnMut() -> usize) {
    let mut best = f64::MAX;
    let mut out = 0;
    for _ in 0..3 {
        let start = cpu();
        for _ in 0..3 {
            out = run();
        }
        best = best.min((cpu() - start) / 3.0);
    }
    let rate = f64::from(u32::try_from(out / 1000).unwrap_or(u32::MAX)) / best / 1e3;
    let _ = writeln!(
        std::io::stdout(),
        "{name:32} {best:6.3} s  {rate:7.0} MB/s of output ({out} bytes from {bytes})"
    );
}

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let pages = args.next().and_then(|n| n.parse().ok()).unwrap_or(2000);
    for packing in [
        Packing::GzipMembers,
        Packing::GzipOne,
        Packing::Zstd,
        Packing::Plain,
    ] {
        let recipe = Recipe {
            pages,
            length: 15_000..150_000,
            packing,
            codings: false,
            company: false,
            ..Recipe::default()
        };
        let made = archive(&recipe);
        let file = made.bytes;
        let _ = writeln!(std::io::stdout(), "{packing:?}");
        if matches!(packing, Packing::GzipMembers | Packing::GzipOne) {
            let mut out = Vec::new();
            measure("bare zlib-rs", file.len(), || {
                out.clear();
                flate2::bufread::MultiGzDecoder::new(&*file)
                    .read_to_end(&mut out)
                    .map_or(0, |n| n)
            });
            let mut piece = vec![0; 64 * 1024];
            measure("bare zlib-rs, streaming", file.len(), || {
                let mut decoder = flate2::bufread::MultiGzDecoder::new(&*file);
                let mut total = 0;
                while let Ok(n @ 1..) = decoder.read(&mut piece) {
                    total += n;
                }
                total
            });
        }
        measure("unbake: records and bodies", file.len(), || {
            let mut reader = WarcReader::new("speed", &*file, Options::default());
            let mut total = 0;
            while let Some(item) = reader.next() {
                if let Item::Record(record) = item {
                    total += record.body(&Limits::default()).bytes.len();
                    reader.recycle(record);
                }
            }
            total
        });
        measure("unbake: decoded", file.len(), || {
            let mut reader = WarcReader::new("speed", &*file, Options::default());
            let mut total = 0;
            while let Some(item) = reader.next() {
                if let Item::Record(record) = item {
                    let (context, limits) = (Context::default(), Limits::default());
                    let document = Document::of_record(&record, "speed", &context, &limits);
                    let length = document.body.len();
                    total += Row::of(document, false).map_or(0, |_| length);
                    reader.recycle(record);
                }
            }
            total
        });
        let directory = std::env::temp_dir().join("unbake-speed");
        std::fs::create_dir_all(&directory)?;
        let input = directory.join("in.warc");
        std::fs::write(&input, &file)?;
        for (name, form) in [
            ("unbake: Parquet", Form::Parquet),
            ("unbake: NDJSON", Form::Ndjson),
        ] {
            let batch = Batch {
                reading: Reading::default(),
                strict: false,
                threads: 1,
            };
            let target = Target {
                out: directory.clone(),
                form,
                text: true,
                settings: String::new(),
                resume: false,
            };
            let input = Input {
                path: input.clone(),
                from: From::Warc,
            };
            measure(name, file.len(), || {
                match batch
                    .write(std::slice::from_ref(&input), &target, &Progress::default())
                    .as_deref()
                {
                    Ok([Outcome::Done(manifest)]) => {
                        usize::try_from(manifest.counts.bytes).unwrap_or(0)
                    }
                    _ => 0,
                }
            });
        }
        std::fs::remove_dir_all(&directory)?;
        if let Some(out) = args.next() {
            std::fs::write(out, &file)?;
        }
    }
    Ok(())
}
