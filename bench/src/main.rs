//! Ratios within one process, as JSON: `cargo run --release --manifest-path bench/Cargo.toml [CORPUS_FOLDER]`.
//!
//! With a folder, the corpus is written there with `truth.json`, for `compare.py`.

use std::hint::black_box;
use std::time::Instant;

use serde_json::json;
use unbake::{Context, Progress, Stream, decode, sniff};
use unbake_bench::{SENTENCES, context, corpus, page};

/// Both sides in turn, the best of each: what else the machine does hits both.
fn best_of(times: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> (f64, f64) {
    let clock = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let (mut a, mut b) = (f64::MAX, f64::MAX);
    for _ in 0..times {
        a = a.min(clock(&mut ours));
        b = b.min(clock(&mut theirs));
    }
    (a, b)
}

fn main() {
    let mut rows = Vec::new();
    let mut row = |what: String, goal: &str, value: f64, unit: &str| {
        rows.push(json!({"what": what, "goal": goal, "value": (value * 10.0).round() / 10.0, "unit": unit}));
    };
    let plain = Context::default();
    for (size, name, declared_goal) in [(64 << 10, "64 KiB", "50"), (1 << 20, "1 MiB", "75")] {
        let times = if size > 100_000 { 2000 } else { 20_000 };
        for &(_, tag, sentence) in &SENTENCES[..3] {
            let declared = page("<meta charset=utf-8>\n", sentence, size);
            let undeclared = page("", sentence, size);
            for (kind, text, goal) in [("declared", &declared, declared_goal), ("undeclared", &undeclared, "40")] {
                let (ours, theirs) = best_of(
                    times,
                    || assert_eq!(black_box(decode(black_box(text.as_bytes()), &plain)).text.len(), text.len()),
                    || assert!(black_box(simdutf8::basic::from_utf8(black_box(text.as_bytes()))).is_ok()),
                );
                row(format!("{kind} UTF-8, {tag}, {name}: of bare simdutf8"), goal, 100.0 * theirs / ours, "%");
            }
        }
    }
    for &(label, tag, sentence) in &SENTENCES[3..] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect("a label");
        let text = page(&format!("<meta charset={label}>\n"), sentence, 256 << 10);
        let (bytes, _, _) = encoding.encode(&text);
        let bare = || {
            let mut decoder = encoding.new_decoder_without_bom_handling();
            let mut out = String::with_capacity(decoder.max_utf8_buffer_length(bytes.len()).expect("a length"));
            let (_, _, errors) = decoder.decode_to_string(black_box(&bytes), &mut out, true);
            assert!(!errors && out.len() == text.len());
            black_box(out);
        };
        let (ours, theirs) =
            best_of(300, || assert_eq!(black_box(decode(black_box(&bytes), &plain)).text.len(), text.len()), bare);
        row(format!("declared {label}, {tag}, 256 KiB: of bare encoding_rs"), "90", 100.0 * theirs / ours, "%");
    }
    let small = page("<meta charset=utf-8>\n", SENTENCES[0].2, 2 << 10);
    let large = page("<meta charset=utf-8>\n", SENTENCES[0].2, 4 << 20);
    let (short, long) = best_of(
        20_000,
        || drop(black_box(sniff(black_box(small.as_bytes()), &plain))),
        || drop(black_box(sniff(black_box(large.as_bytes()), &plain))),
    );
    row("the decision alone, page of 2 KiB".to_owned(), "5", short * 1e6, "µs");
    row("the decision alone, page of 4 MiB".to_owned(), "5", long * 1e6, "µs");
    // A stream of 1 GiB, in memory: what it holds at the most.
    let piece = page("", SENTENCES[0].2, 1 << 20);
    let mut stream = Stream::new(Context { content_type: vec![b"text/html; charset=utf-8".to_vec()], ..Context::default() });
    let mut text = String::new();
    let start = Instant::now();
    for _ in 0..1024 {
        assert_eq!(stream.push(piece.as_bytes(), &mut text), Ok(Progress::Continue));
        text.clear();
    }
    assert_eq!(stream.finish(&mut text), Ok(Progress::Continue));
    row("stream of 1 GiB, declared".to_owned(), "", piece.len() as f64 / 1e6 * 1024.0 / start.elapsed().as_secs_f64(), "MB/s");

    // The corpus once through, for the comparison with others.
    let pages = corpus();
    let bytes: usize = pages.iter().map(|page| page.bytes.len()).sum();
    let contexts: Vec<Context> = pages.iter().map(context).collect();
    let run = || pages.iter().zip(&contexts).filter(|(page, context)| decode(&page.bytes, context).text == page.text).count();
    let right = run();
    let decoders = || {
        for page in &pages {
            black_box(page.encoding.decode_without_bom_handling(&page.bytes));
        }
    };
    let (ours, limit) = best_of(20, || assert_eq!(black_box(run()), right), decoders);
    let summary = json!({
        "right": right, "pages": pages.len(), "bytes": bytes,
        "unbake_mb_s": bytes as f64 / 1e6 / ours, "encoding_rs_mb_s": bytes as f64 / 1e6 / limit,
    });
    if let Some(folder) = std::env::args().nth(1) {
        std::fs::create_dir_all(&folder).expect("a folder");
        let truth: Vec<_> = pages
            .iter()
            .map(|page| json!({"name": page.name, "content_type": page.content_type, "encoding": page.encoding.name(), "text": page.text}))
            .collect();
        for page in &pages {
            std::fs::write(format!("{folder}/{}", page.name), &page.bytes).expect("a file");
        }
        std::fs::write(format!("{folder}/truth.json"), json!(truth).to_string()).expect("a file");
    }
    println!("{}", json!({"rows": rows, "corpus": summary}));
}
