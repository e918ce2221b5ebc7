//! The corpus of the benches: pages made by rule, the same on every machine.

/// One generated page.
pub struct Page {
    /// Its file name.
    pub name: String,
    /// The Content-Type header.
    pub content_type: &'static str,
    /// The encoding it is written in.
    pub encoding: &'static encoding_rs::Encoding,
    /// Its text.
    pub text: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Label, TLD-like tag, a sentence.
pub const SENTENCES: &[(&str, &str, &str)] = &[
    ("utf-8", "en", "The quick brown fox jumps over the lazy dog, caffè and naïve résumé “quotes”, 10 € only, and more plain text. "),
    ("utf-8", "ru", "Городская библиотека открыта каждый день, кроме понедельника — смотрите <a href=\"/x\">расписание</a>. "),
    ("utf-8", "ja", "図書館は月曜日を除いて毎日開いています。入場は無料です。"),
    ("windows-1252", "fr", "La bibliothèque est ouverte tous les jours sauf le lundi ; l’entrée est gratuite, bien sûr. "),
    ("windows-1251", "ru", "Городская библиотека открыта каждый день, кроме понедельника, с девяти утра до восьми вечера. "),
    ("windows-1250", "cz", "Příliš žluťoučký kůň úpěl ďábelské ódy, knihovna je otevřena denně kromě pondělí. "),
    ("shift_jis", "jp", "図書館は月曜日を除いて毎日開いています。入場は無料です。"),
    ("euc-jp", "jp", "図書館は月曜日を除いて毎日開いています。入場は無料です。"),
    ("gbk", "cn", "图书馆除星期一外每天开放，入场免费，欢迎大家来阅读。"),
    ("big5", "tw", "圖書館除星期一外每天開放，入場免費，歡迎大家來閱讀。"),
    ("euc-kr", "kr", "도서관은 월요일을 제외하고 매일 문을 엽니다. 입장은 무료입니다. "),
];

/// A page of about `size` bytes with the head, navigation and paragraphs of an ordinary site.
pub fn page(declaration: &str, sentence: &str, size: usize) -> String {
    let mut text = format!(
        "<!doctype html>\n<html>\n<head>\n{declaration}<title>Page</title>\n<link rel=stylesheet href=/style.css>\n\
         <meta name=viewport content=\"width=device-width\">\n<script>var a = 1; function f() {{ return a < 2 }}</script>\n</head>\n<body class=\"main\">\n<nav><ul>\n"
    );
    for item in 0..20 {
        text.push_str(&format!("<li><a href=\"/section/{item}/index.html\" class=\"nav-link\" data-id=\"{item}\">Menu {item}</a></li>\n"));
    }
    text.push_str("</ul></nav>\n");
    let mut number = 0;
    while text.len() < size {
        text.push_str(&format!("<p class=\"text\" id=p{number}>{sentence}</p>\n"));
        number += 1;
    }
    text.push_str("</body>\n</html>\n");
    text
}

/// The corpus that is shown to the rivals: every sentence, declared by header, by meta, not at all.
pub fn corpus() -> Vec<Page> {
    let mut pages = Vec::new();
    for (number, &(label, tag, sentence)) in SENTENCES.iter().enumerate() {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect("a label");
        for (way, size) in [("meta", 4 << 10), ("http-equiv", 30 << 10), ("header", 60 << 10), ("none", 20 << 10), ("bom", 8 << 10), ("late", 16 << 10)] {
            if way == "bom" && label != "utf-8" {
                continue;
            }
            let declaration = match way {
                "meta" => format!("<meta charset={label}>\n"),
                "http-equiv" => format!("<meta http-equiv=Content-Type content=\"text/html; charset={label}\">\n"),
                "late" => format!("<style>{}</style><meta charset={label}>\n", ".a { color: red }\n".repeat(80)),
                _ => String::new(),
            };
            let text = page(&declaration, sentence, size);
            let (bytes, _, lossy) = encoding.encode(&text);
            assert!(!lossy, "{label} lacks a character of its sentence");
            let mark: &[u8] = if way == "bom" { b"\xEF\xBB\xBF" } else { b"" };
            let content_type = if way == "header" { label } else { "" };
            pages.push(Page {
                name: format!("{number:02}-{tag}-{label}-{way}.html"),
                content_type,
                encoding,
                bytes: [mark, &bytes].concat(),
                text,
            });
        }
    }
    pages
}

/// The context of a page as it came over HTTP.
pub fn context(page: &Page) -> unbake::Context {
    let value = if page.content_type.is_empty() { "text/html".to_owned() } else { format!("text/html; charset={}", page.content_type) };
    unbake::Context { content_type: vec![value.into_bytes()], ..unbake::Context::default() }
}
