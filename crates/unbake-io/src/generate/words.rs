//! Words of nine languages and the encodings they are commonly found in.

/// A language as the generator writes it.
pub(crate) struct Language {
    pub(crate) tag: &'static str,
    pub(crate) tld: &'static str,
    /// Labels, the most common first.
    pub(crate) labels: &'static [&'static str],
    /// Between words.
    pub(crate) space: &'static str,
    pub(crate) words: &'static [&'static str],
}

pub(crate) const LANGUAGES: &[Language] = &[
    Language {
        tag: "de",
        tld: "de",
        labels: &["utf-8", "windows-1252", "iso-8859-1", "iso-8859-15"],
        space: " ",
        words: &[
            "Straße", "für", "über", "schön", "Käse", "Größe", "müssen", "Mädchen", "Häuser", "grün", "und", "der",
            "nicht", "mit", "Wörter", "früh", "später", "Tür", "Öl", "Übung", "Fluss", "Garten", "Brücke",
        ],
    },
    Language {
        tag: "fr",
        tld: "fr",
        labels: &["utf-8", "windows-1252", "iso-8859-1"],
        space: " ",
        words: &[
            "été", "déjà", "où", "garçon", "forêt", "naïf", "être", "même", "après", "hôtel", "le", "une", "dans",
            "avec", "gâteau", "rivière", "pêche", "élève", "âge", "voilà", "leçon", "août",
        ],
    },
    Language {
        tag: "ru",
        tld: "ru",
        labels: &["windows-1251", "utf-8", "koi8-r", "iso-8859-5"],
        space: " ",
        words: &[
            "библиотека", "открыта", "каждый", "день", "кроме", "воскресенья", "книги", "город", "река", "и", "в",
            "не", "на", "хлеб", "молоко", "улица", "школа", "время", "новости", "погода", "сегодня", "человек",
        ],
    },
    Language {
        tag: "ja",
        tld: "jp",
        labels: &["utf-8", "shift_jis", "euc-jp", "iso-2022-jp"],
        space: "",
        words: &[
            "図書館は", "毎日", "開いています。", "日曜日を", "除いて、", "本を", "読む", "人が", "多い。", "東京の",
            "天気は", "晴れです。", "ニュース", "カメラ", "テレビで", "見ました。", "新しい", "学校", "時間",
        ],
    },
    Language {
        tag: "zh",
        tld: "cn",
        labels: &["utf-8", "gbk", "gb18030", "gb2312"],
        space: "",
        words: &[
            "图书馆", "每天", "开放，", "星期一", "除外。", "入场", "免费，", "欢迎", "大家", "阅读。", "城市", "天气",
            "今天", "很好。", "学校", "新闻", "时间", "河流", "面包", "和", "牛奶。",
        ],
    },
    Language {
        tag: "ko",
        tld: "kr",
        labels: &["euc-kr", "utf-8"],
        space: " ",
        words: &[
            "도서관은", "매일", "문을", "엽니다.", "일요일을", "제외하고", "책을", "읽는", "사람이", "많습니다.", "오늘",
            "날씨가", "좋습니다.", "학교", "뉴스", "시간", "강", "빵과", "우유",
        ],
    },
    Language {
        tag: "pl",
        tld: "pl",
        labels: &["utf-8", "iso-8859-2", "windows-1250"],
        space: " ",
        words: &[
            "książka", "żółty", "źródło", "ćma", "łąka", "święto", "dzień", "wieś", "ręka", "głowa", "i", "w", "nie",
            "się", "chleb", "mleko", "ulica", "szkoła", "pogoda", "miasto", "rzeka", "następny",
        ],
    },
    Language {
        tag: "tr",
        tld: "tr",
        labels: &["utf-8", "windows-1254", "iso-8859-9"],
        space: " ",
        words: &[
            "kütüphane", "açık", "gün", "pazartesi", "dışında", "öğrenci", "şehir", "çocuk", "ağaç", "ışık", "ve",
            "bir", "ekmek", "süt", "sokak", "okul", "hava", "bugün", "nehir", "güzel", "İstanbul",
        ],
    },
    Language {
        tag: "el",
        tld: "gr",
        labels: &["utf-8", "windows-1253", "iso-8859-7"],
        space: " ",
        words: &[
            "βιβλιοθήκη", "ανοιχτή", "κάθε", "μέρα", "εκτός", "Κυριακής", "πόλη", "ποτάμι", "ψωμί", "γάλα", "και",
            "το", "δεν", "με", "δρόμος", "σχολείο", "καιρός", "σήμερα", "νέα", "χρόνος", "άνθρωπος",
        ],
    },
];
