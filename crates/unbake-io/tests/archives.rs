//! Generated archives, whole and damaged: every response is in the output or in the error list,
//! exactly once.

use std::collections::HashMap;

use unbake_io::generate::{
    Generated, Packing, Random, Recipe, archive, chunked, gzip, record, zstd_frame,
};
use unbake_io::{Item, Kind, Limits, Note, Options, RecordType, WarcReader};

fn read(bytes: &[u8]) -> Vec<Item> {
    WarcReader::new(
        "test",
        bytes,
        Options {
            size: Some(bytes.len() as u64),
            ..Options::default()
        },
    )
    .collect()
}

/// A reader that hands out its bytes in small, odd pieces.
struct Trickle<'a>(&'a [u8], usize);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.1 = (self.1 * 7 + 3) % 61;
        let n = (self.1 + 1).min(out.len()).min(self.0.len());
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn every_page_comes_back_from_every_packing() {
    for packing in Packing::ALL {
        for seed in 0..6 {
            let made = archive(&Recipe {
                seed,
                packing,
                ..Recipe::default()
            });
            let mut pages = made.pages.iter();
            let mut records = made.records.iter();
            for item in read(&made.bytes) {
                let stored = records.next().unwrap();
                let place = match item {
                    Item::Record(record) => {
                        let page = pages.next().unwrap();
                        assert_eq!(record.record_type(), RecordType::Response);
                        assert_eq!(record.url().as_ref(), Some(&page.url));
                        assert_eq!(record.id().as_ref(), Some(&page.id));
                        assert_eq!(record.notes(), []);
                        assert_eq!(record.http().unwrap().status(), Some(200));
                        let types: Vec<_> = page
                            .content_type
                            .iter()
                            .map(|t| t.as_bytes().to_vec())
                            .collect();
                        assert_eq!(record.content_types(), types);
                        let body = record.body(&Limits::default());
                        assert_eq!(body.notes, [], "{} {}", page.url, page.coding);
                        assert_eq!(body.coding(), page.coding);
                        assert!(body.bytes == page.body, "{packing:?} {seed} {}", page.url);
                        record.place()
                    }
                    Item::Skipped(skipped) => {
                        assert!(stored.page.is_none());
                        skipped.place
                    }
                    Item::Error(e) => panic!("{packing:?} seed {seed}: {}", e.error),
                };
                if packing.is_per_record() {
                    assert_eq!(place.offset, stored.range.start as u64);
                    assert_eq!(place.length, Some(stored.range.len() as u64));
                    assert_eq!(place.inside, 0);
                } else {
                    assert_eq!((place.offset, place.inside), (0, stored.range.start as u64));
                    assert_eq!(place.length, None);
                }
            }
            assert!(pages.next().is_none() && records.next().is_none());
        }
    }
}

#[test]
fn a_record_can_be_read_alone_by_its_place() {
    for packing in [Packing::Plain, Packing::GzipMembers, Packing::Zstd] {
        let made = archive(&Recipe {
            packing,
            ..Recipe::default()
        });
        for item in read(&made.bytes) {
            let Item::Record(record) = item else { continue };
            let place = record.place();
            let end = place.offset + place.length.unwrap();
            let alone = read(&made.bytes[place.offset as usize..end as usize]);
            let [Item::Record(again)] = alone.as_slice() else {
                panic!("{alone:?}")
            };
            assert_eq!((again.id(), again.block()), (record.id(), record.block()));
        }
    }
}

#[test]
fn the_size_of_the_reads_does_not_matter() {
    for packing in Packing::ALL {
        let made = archive(&Recipe {
            packing,
            pages: 6,
            ..Recipe::default()
        });
        let whole: Vec<String> = read(&made.bytes).iter().map(|i| format!("{i:?}")).collect();
        let trickled = WarcReader::new("test", Trickle(&made.bytes, 1), Options::default());
        assert_eq!(
            trickled.map(|i| format!("{i:?}")).collect::<Vec<_>>(),
            whole,
            "{packing:?}"
        );
    }
}

/// One kind of damage, done to one response record of a generated archive.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    CutTheFile,
    RemoveBytes,
    FlipBytes,
    ZeroTheStart,
    Junk,
    LengthTooLarge,
    LengthTooSmall,
    NoLength,
}

const DAMAGES: [Damage; 8] = [
    Damage::CutTheFile,
    Damage::RemoveBytes,
    Damage::FlipBytes,
    Damage::ZeroTheStart,
    Damage::Junk,
    Damage::LengthTooLarge,
    Damage::LengthTooSmall,
    Damage::NoLength,
];

/// The damaged file, and which pages may be missing from the output.
fn damaged(
    made: &Generated,
    packing: Packing,
    damage: Damage,
    random: &mut Random,
) -> (Vec<u8>, Vec<usize>) {
    let responses: Vec<usize> = (0..made.records.len())
        .filter(|&n| made.records[n].page.is_some())
        .collect();
    let victim = responses[random.below(responses.len())];
    let stored = &made.records[victim];
    let range = stored.range.clone();
    let mut bytes = made.bytes.clone();
    let victims = vec![stored.page.unwrap()];
    match damage {
        Damage::CutTheFile => {
            let at = range.start + 20 + random.below(range.len() - 20);
            bytes.truncate(at);
            let lost = made.records[victim..]
                .iter()
                .filter_map(|r| r.page)
                .collect();
            return (bytes, lost);
        }
        Damage::RemoveBytes => {
            // Without compression, bytes missing from a field's value leave a valid record: take them
            // from the content there.
            let head = match packing {
                Packing::Plain => {
                    stored
                        .plain
                        .windows(4)
                        .position(|w| w == b"\r\n\r\n")
                        .unwrap()
                        + 4
                }
                _ => 20,
            };
            let from = range.start + head + random.below((range.len() - head) / 2);
            let to = from + 1 + random.below(range.end - from - 1);
            bytes.drain(from..to);
        }
        Damage::FlipBytes => {
            for _ in 0..20 {
                bytes[range.start + random.below(range.len())] ^= 1 + random.below(255) as u8;
            }
        }
        Damage::ZeroTheStart => bytes[range.start..range.start + 16].fill(0),
        Damage::Junk => {
            let junk: Vec<u8> = (0..500).map(|_| random.below(256) as u8).collect();
            bytes.splice(range.start..range.start, junk);
            return (bytes, Vec::new());
        }
        Damage::LengthTooLarge | Damage::LengthTooSmall | Damage::NoLength => {
            let mut records: Vec<Vec<u8>> = made.records.iter().map(|r| r.plain.clone()).collect();
            let text = &records[victim];
            let key = b"Content-Length: ";
            let from = text.windows(key.len()).position(|w| w == key).unwrap();
            let digits = text[from + key.len()..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
            let number =
                String::from_utf8(text[from + key.len()..from + key.len() + digits].to_vec())
                    .unwrap();
            let number: usize = number.parse().unwrap();
            let new = match damage {
                Damage::LengthTooLarge => {
                    format!("Content-Length: {}", number + 5 + random.below(9000))
                }
                Damage::LengthTooSmall => {
                    format!("Content-Length: {}", number - 5 - random.below(number / 2))
                }
                _ => "X-Nothing: 1".to_owned(),
            };
            records[victim].splice(from..from + key.len() + digits, new.into_bytes());
            bytes = match packing {
                Packing::GzipMembers => records.iter().flat_map(|r| gzip(r)).collect(),
                Packing::Zstd => records.iter().flat_map(|r| zstd_frame(r, &[])).collect(),
                _ => records.concat(),
            };
        }
    }
    (bytes, victims)
}

#[test]
fn damage_costs_the_damaged_record_and_never_goes_unsaid() {
    for packing in [
        Packing::Plain,
        Packing::GzipMembers,
        Packing::Zstd,
        Packing::ZstdDictionary,
    ] {
        for damage in DAMAGES {
            for seed in 0..60 {
                let mut random = Random::new(seed ^ 0xDA);
                let made = archive(&Recipe {
                    seed,
                    packing,
                    pages: 8,
                    ..Recipe::default()
                });
                if packing == Packing::ZstdDictionary
                    && damage as u8 >= Damage::LengthTooLarge as u8
                {
                    continue;
                }
                let (bytes, victims) = damaged(&made, packing, damage, &mut random);
                let case = format!("{packing:?} {damage:?} seed {seed}");
                check(&case, &made, &bytes, &victims, packing, damage);
            }
        }
    }
}

fn check(
    case: &str,
    made: &Generated,
    bytes: &[u8],
    victims: &[usize],
    packing: Packing,
    damage: Damage,
) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut errors = Vec::new();
    let mut order = Vec::new();
    // A file cut inside the line ends after a record has lost nothing: that is a note.
    let mut trailer_said = false;
    for item in read(bytes) {
        match item {
            Item::Record(record) => {
                let Some(id) = record.id() else { continue };
                *seen.entry(id.clone()).or_default() += 1;
                trailer_said |= record.notes().contains(&Note::RecordTrailer);
                if let Some(n) = made.pages.iter().position(|p| p.id == id) {
                    order.push(n);
                    if !victims.contains(&n) {
                        let body = record.body(&Limits::default());
                        assert!(body.bytes == made.pages[n].body, "{case}: page {n} differs");
                    }
                }
            }
            Item::Error(e) => errors.push(e),
            Item::Skipped(_) => {}
        }
    }
    let said: Vec<String> = errors.iter().map(|e| e.error.to_string()).collect();
    assert!(order.is_sorted(), "{case}: out of order");
    for (n, page) in made.pages.iter().enumerate() {
        let times = seen.get(&page.id).copied().unwrap_or(0);
        let named = errors
            .iter()
            .filter(|e| e.id.as_ref() == Some(&page.id))
            .count();
        if victims.contains(&n) {
            assert!(
                times + named <= 1,
                "{case}: page {n} {times} times and {named} errors"
            );
        } else {
            assert_eq!(
                (times, named),
                (1, 0),
                "{case}: page {n} of {victims:?}: {said:#?}"
            );
        }
    }
    // Plain bytes have no checksum: flipped bytes inside a body go unseen there.
    let unseen = packing == Packing::Plain && damage == Damage::FlipBytes;
    assert!(
        !errors.is_empty() || unseen || trailer_said,
        "{case}: no error"
    );
    assert!(errors.len() <= 2, "{case}: {said:#?}");
}

#[test]
fn one_member_for_all_keeps_what_came_before_the_damage() {
    let packing = Packing::GzipOne;
    for seed in 0..20 {
        let made = archive(&Recipe {
            seed,
            packing,
            pages: 30,
            ..Recipe::default()
        });
        let items = read(&made.bytes[..made.bytes.len() / 2]);
        let records: Vec<_> = items
            .iter()
            .filter_map(|i| {
                if let Item::Record(r) = i {
                    Some(r)
                } else {
                    None
                }
            })
            .collect();
        assert!(records.len() > 5 && records.len() < 30);
        let Some(Item::Error(last)) = items.last() else {
            panic!("seed {seed}: the cut goes unsaid")
        };
        assert_eq!(last.error.kind(), Kind::Truncated);
        for (record, page) in records.iter().zip(&made.pages) {
            assert!(record.body(&Limits::default()).bytes == page.body);
        }
    }
}

#[test]
fn a_response_both_gzip_and_chunked_does_not_end_the_reading() {
    let mut random = Random::new(7);
    let mut file = Vec::new();
    for n in 0..5 {
        let coded = chunked(&mut random, &gzip(b"<p>hello"));
        let mut block =
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                .to_vec();
        block.extend_from_slice(&coded);
        let url = format!("http://a.test/{n}");
        file.extend(gzip(&record(
            "response",
            &url,
            "urn:uuid:1",
            "application/http",
            &block,
        )));
    }
    let items = read(&file);
    assert_eq!(items.len(), 5);
    for item in items {
        let Item::Record(record) = item else { panic!() };
        let body = record.body(&Limits::default());
        assert_eq!(
            (&*body.bytes, &*body.coding(), &*body.notes),
            (&b"<p>hello"[..], "chunked+gzip", &[] as &[Note])
        );
    }
}
