//! The small crawl under `examples/crawl`: six country domains, six sites each, every one with its own habit.

use std::fmt::Write as _;

use super::{Random, chunked, encode, gzip};

/// A country: its sites speak one language.
struct Country {
    tld: &'static str,
    lang: &'static str,
    /// The legacy encoding, as people here label it.
    legacy: &'static str,
    /// The other label that is in use.
    other: &'static str,
    sites: [&'static str; 6],
    titles: &'static [&'static str],
    sentences: &'static [&'static str],
}

const COUNTRIES: [Country; 6] = [
    Country {
        tld: "de",
        lang: "de",
        legacy: "iso-8859-1",
        other: "windows-1252",
        sites: [
            "buecherei",
            "gartenverein",
            "radweg",
            "chor",
            "museum",
            "markt",
        ],
        titles: &[
            "Öffnungszeiten",
            "Über uns",
            "Führungen",
            "Neue Bücher",
            "Gäste",
            "Preise",
        ],
        sentences: &[
            "Die Bücherei öffnet täglich um neun Uhr und schließt erst spät am Abend.",
            "Für Kinder gibt es am Samstag eine Führung durch die älteren Räume.",
            "Wer früh kommt, bekommt größere Plätze und einen heißen Tee.",
            "Unser Chor übt mittwochs; neue Stimmen, hohe wie tiefe, sind willkommen.",
            "Der Radweg führt über drei Brücken und an den Gärten vorbei.",
            "Im Frühling blühen dort Äpfel, Birnen und Quitten in langen Reihen.",
            "Die Preise für Mitglieder bleiben im nächsten Jahr unverändert.",
        ],
    },
    Country {
        tld: "cz",
        lang: "cs",
        legacy: "windows-1250",
        other: "iso-8859-2",
        sites: ["knihovna", "zahrada", "divadlo", "sbor", "mlyn", "trh"],
        titles: &[
            "Otevírací doba",
            "O nás",
            "Výstavy",
            "Nové knihy",
            "Příběhy",
            "Ceník",
        ],
        sentences: &[
            "Knihovna je otevřena každý den kromě neděle až do pozdního večera.",
            "Pro děti chystáme v sobotu prohlídku starší části mlýna.",
            "Kdo přijde dříve, dostane větší místo a šálek horkého čaje.",
            "Sbor zkouší ve středu; nové hlasy, vysoké i hluboké, jsou vítány.",
            "Cesta vede přes tři mosty a kolem zahrad až k řece.",
            "Na jaře tu kvetou jabloně, hrušně a švestky v dlouhých řadách.",
            "Ceny pro členy zůstávají příští rok beze změny.",
        ],
    },
    Country {
        tld: "ru",
        lang: "ru",
        legacy: "windows-1251",
        other: "koi8-r",
        sites: ["biblioteka", "sad", "teatr", "hor", "muzej", "rynok"],
        titles: &[
            "Часы работы",
            "О нас",
            "Выставки",
            "Новые книги",
            "Гостям",
            "Цены",
        ],
        sentences: &[
            "Библиотека открыта каждый день, кроме воскресенья, до позднего вечера.",
            "Для детей в субботу будет прогулка по старой части музея.",
            "Кто придёт раньше, получит место побольше и чашку горячего чая.",
            "Хор собирается по средам; новые голоса, высокие и низкие, нужны всегда.",
            "Дорога идёт через три моста, мимо садов и дальше к реке.",
            "Весной здесь цветут яблони, груши и сливы длинными рядами.",
            "Цены для участников в следующем году останутся прежними.",
        ],
    },
    Country {
        tld: "jp",
        lang: "ja",
        legacy: "shift_jis",
        other: "euc-jp",
        sites: ["tosho", "niwa", "gekijo", "gassho", "hakubutsu", "ichiba"],
        titles: &[
            "開館時間",
            "私たちについて",
            "展示の案内",
            "新しい本",
            "お客様へ",
            "料金",
        ],
        sentences: &[
            "図書館は日曜日を除いて毎日、夜遅くまで開いています。",
            "土曜日には子どものために古い建物の見学会があります。",
            "早く来た人は広い席と熱いお茶をもらえます。",
            "合唱の練習は水曜日です。新しい声を待っています。",
            "道は三つの橋を渡り、庭のそばを通って川まで続きます。",
            "春にはりんごや梨の花が長い列になって咲きます。",
            "会員の料金は来年も変わりません。",
        ],
    },
    Country {
        tld: "kr",
        lang: "ko",
        legacy: "euc-kr",
        other: "ks_c_5601-1987",
        sites: [
            "doseo", "jeongwon", "geukjang", "hapchang", "bakmul", "sijang",
        ],
        titles: &[
            "여는 시간",
            "우리 이야기",
            "전시 안내",
            "새 책",
            "손님께",
            "요금",
        ],
        sentences: &[
            "도서관은 일요일을 빼고 날마다 늦은 밤까지 문을 엽니다.",
            "토요일에는 아이들을 위해 오래된 건물을 함께 둘러봅니다.",
            "일찍 오시면 넓은 자리와 뜨거운 차를 드립니다.",
            "합창 연습은 수요일이며 새로운 목소리를 기다립니다.",
            "길은 다리 세 개를 건너 정원 옆을 지나 강까지 이어집니다.",
            "봄이 오면 사과꽃과 배꽃이 길게 줄지어 핍니다.",
            "회원 요금은 내년에도 그대로입니다.",
        ],
    },
    Country {
        tld: "gr",
        lang: "el",
        legacy: "iso-8859-7",
        other: "windows-1253",
        sites: [
            "vivliothiki",
            "kipos",
            "theatro",
            "chorodia",
            "mouseio",
            "agora",
        ],
        titles: &[
            "Ώρες λειτουργίας",
            "Σχετικά με εμάς",
            "Εκθέσεις",
            "Νέα βιβλία",
            "Επισκέπτες",
            "Τιμές",
        ],
        sentences: &[
            "Η βιβλιοθήκη ανοίγει κάθε μέρα εκτός Κυριακής και κλείνει αργά το βράδυ.",
            "Για τα παιδιά υπάρχει το Σάββατο περίπατος στα παλιά δωμάτια.",
            "Όποιος έρθει νωρίς παίρνει μεγαλύτερη θέση και ζεστό τσάι.",
            "Η χορωδία μαζεύεται την Τετάρτη και ζητά καινούριες φωνές.",
            "Ο δρόμος περνά από τρεις γέφυρες και δίπλα από τους κήπους.",
            "Την άνοιξη ανθίζουν μηλιές και αχλαδιές σε μακριές σειρές.",
            "Οι τιμές για τα μέλη μένουν ίδιες και του χρόνου.",
        ],
    },
];

/// What a site's server and its authors do.
#[derive(Clone, Default)]
struct Habit {
    /// The encoding of the bytes.
    bytes: &'static str,
    header: Option<&'static str>,
    meta: Option<&'static str>,
    /// Scripts before the meta element push it past the first 1024 bytes.
    late: bool,
    bom: bool,
    /// Typographic quotes: C1 controls for whoever reads Latin-1.
    quotes: bool,
    damage: Damage,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Damage {
    #[default]
    None,
    /// A stray byte of windows-1252 in UTF-8.
    Stray,
    /// The page ends inside a character.
    Cut,
    /// An editor has saved U+FFFD.
    Replaced,
    /// Characters that only the vendor's code page has.
    Vendor,
}

fn habit(country: &Country, site: usize) -> Habit {
    let (legacy, other) = (country.legacy, country.other);
    let utf_8 = "utf-8";
    let plain = |bytes, header, meta| Habit {
        bytes,
        header,
        meta,
        ..Habit::default()
    };
    match (site, country.tld) {
        (0, _) => plain(utf_8, Some(utf_8), Some(utf_8)),
        (1, _) => plain(utf_8, None, Some(utf_8)),
        (2, _) => plain(legacy, None, Some(legacy)),
        (3, _) => plain(other, Some(other), None),
        (4, "de") => Habit {
            quotes: true,
            ..plain("windows-1252", Some("iso-8859-1"), None)
        },
        (4, "cz") => plain(legacy, None, None),
        // The server speaks for all of its sites, and is wrong.
        (4, "ru") => plain(legacy, Some("iso-8859-1"), Some(legacy)),
        (4, "jp") => Habit {
            late: true,
            ..plain(legacy, None, Some(legacy))
        },
        (4, "kr") => plain(utf_8, Some(utf_8), Some(legacy)),
        (4, _) => Habit {
            bom: true,
            ..plain(utf_8, None, Some(legacy))
        },
        (_, "de") => Habit {
            damage: Damage::Stray,
            ..plain(utf_8, Some(utf_8), None)
        },
        (_, "cz") => plain(utf_8, Some("utf8mb4"), Some(utf_8)),
        (_, "ru") => Habit {
            damage: Damage::Cut,
            ..plain(utf_8, Some(utf_8), Some(utf_8))
        },
        (_, "jp") => Habit {
            damage: Damage::Vendor,
            ..plain(legacy, Some(legacy), None)
        },
        (_, "kr") => Habit {
            damage: Damage::Replaced,
            ..plain(utf_8, None, Some(utf_8))
        },
        _ => plain(utf_8, None, None),
    }
}

/// The files of the crawl: their names and bytes. `seed` 5 gives what is checked in.
pub fn crawl(seed: u64, pages_per_site: usize) -> Vec<(String, Vec<u8>)> {
    let mut random = Random::new(seed);
    let mut files = Vec::new();
    for day in 0..3 {
        let mut file = Vec::new();
        let date = format!("2026-03-{:02}T04:00:00Z", 2 + day);
        let info = b"software: unbake, examples/crawl\r\nformat: WARC File Format 1.1\r\n";
        file.extend(gzip(&record(
            "warcinfo",
            None,
            &date,
            "application/warc-fields",
            info,
            &mut random,
        )));
        for round in 0..pages_per_site.div_ceil(3) {
            for country in &COUNTRIES {
                for (site, name) in country.sites.iter().enumerate() {
                    let number = day * pages_per_site.div_ceil(3) + round;
                    if number >= pages_per_site {
                        continue;
                    }
                    let host = format!("{name}.example.{}", country.tld);
                    let url = format!(
                        "http://{host}/{}",
                        if number == 0 {
                            String::new()
                        } else {
                            format!("s/{number}.html")
                        }
                    );
                    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
                    let kind = "application/http; msgtype=request";
                    file.extend(gzip(&record(
                        "request",
                        Some(&url),
                        &date,
                        kind,
                        request.as_bytes(),
                        &mut random,
                    )));
                    let block = response(&mut random, country, site, number);
                    let kind = "application/http; msgtype=response";
                    file.extend(gzip(&record(
                        "response",
                        Some(&url),
                        &date,
                        kind,
                        &block,
                        &mut random,
                    )));
                }
            }
        }
        files.push((format!("crawl-{day:05}.warc.gz"), file));
    }
    files
}

fn record(
    kind: &str,
    url: Option<&str>,
    date: &str,
    content_type: &str,
    block: &[u8],
    random: &mut Random,
) -> Vec<u8> {
    let (a, b) = (random.next_u64(), random.next_u64());
    let mut out = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}>\r\nWARC-Date: {date}\r\n",
        a >> 32,
        a >> 16 & 0xFFFF,
        a & 0xFFF,
        b >> 52,
        b & 0xFFFF_FFFF_FFFF,
    );
    if let Some(url) = url {
        let _ = write!(out, "WARC-Target-URI: {url}\r\n");
    }
    let _ = write!(
        out,
        "Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    let mut out = out.into_bytes();
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

fn response(random: &mut Random, country: &Country, site: usize, number: usize) -> Vec<u8> {
    let habit = habit(country, site);
    let title = country.titles[number % country.titles.len()];
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n",
        country.lang
    );
    if habit.late {
        text.push_str("<script>\n");
        for n in 0..24 {
            let _ = writeln!(
                text,
                "menu[{n}] = {{ open: false, items: [], place: {} }};",
                n * 7
            );
        }
        text.push_str("</script>\n");
    }
    match habit.meta {
        Some(label) if site.is_multiple_of(2) => {
            let _ = writeln!(
                text,
                "<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">"
            );
        }
        Some(label) => {
            let _ = writeln!(text, "<meta charset=\"{label}\">");
        }
        None => {}
    }
    let _ = write!(
        text,
        "<title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for n in 0..4 + random.below(5) {
        let sentence = || country.sentences[(n * 3 + number) % country.sentences.len()];
        let (first, second) = (sentence(), random.pick(country.sentences));
        if habit.quotes {
            let _ = writeln!(text, "<p>\u{201E}{first}\u{201C} \u{2013} {second}</p>");
        } else {
            let _ = writeln!(text, "<p>{first} {second}</p>");
        }
    }
    match habit.damage {
        Damage::Vendor => text.push_str("<p>①番の入口から②階へ。㈱いちば</p>\n"),
        Damage::Replaced => text.push_str("<p>\u{FFFD}\u{FFFD}전화 안내\u{FFFD}</p>\n"),
        _ => {}
    }
    let end = if habit.damage == Damage::Cut {
        "<p>До свидания"
    } else {
        "</body>\n</html>\n"
    };
    text.push_str(end);
    let mut body = if habit.bom {
        b"\xEF\xBB\xBF".to_vec()
    } else {
        Vec::new()
    };
    body.extend(encode(habit.bytes, &text));
    match habit.damage {
        // Every second page of the site, so that there is something to find.
        Damage::Stray if number.is_multiple_of(2) => {
            let at = memchr::memmem::find(&body, b"</h1>").unwrap_or(0);
            body.splice(at..at, *b" \x96 caf\xE9");
        }
        Damage::Cut if number % 3 == 1 => {
            body.pop();
        }
        _ => {}
    }
    let mut head = "HTTP/1.1 200 OK\r\nServer: nginx\r\n".to_owned();
    let _ = match habit.header {
        Some(label) => write!(head, "Content-Type: text/html; charset={label}\r\n"),
        None => write!(head, "Content-Type: text/html\r\n"),
    };
    if site == 3 {
        head.push_str("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n");
        body = chunked(random, &gzip(&body));
    }
    head.push_str("\r\n");
    let mut block = head.into_bytes();
    block.extend_from_slice(&body);
    block
}
