//! Criterion benches; each iteration checks its result.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use unbake::{Context, decode, sniff};
use unbake_bench::{SENTENCES, page};

fn core(c: &mut Criterion) {
    let context = Context::default();
    for &(label, tag, sentence) in SENTENCES {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect("a label");
        let text = page(&format!("<meta charset={label}>\n"), sentence, 64 << 10);
        let (bytes, _, _) = encoding.encode(&text);
        let mut group = c.benchmark_group(format!("{label}-{tag}"));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("sniff", |b| b.iter(|| assert_eq!(sniff(&bytes, &context).encoding, encoding.into())));
        group.bench_function("decode", |b| b.iter(|| assert_eq!(decode(&bytes, &context).text.len(), text.len())));
        group.finish();
    }
}

criterion_group!(benches, core);
criterion_main!(benches);
