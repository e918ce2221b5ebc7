#!/usr/bin/env python3
"""Writes the example pages. Each shows one way in which an encoding is settled, or goes wrong.

    python3 examples/generate.py

The pages are checked in; run this again only to change them. A file NAME.headers beside NAME is the response's header.
"""
from pathlib import Path

PAGES = Path(__file__).parent / "pages"


def page(name, encoding, head, body, headers=None, prefix=b"", lang="en"):
    text = f"<!doctype html>\n<html lang={lang}>\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n"
    write(name, prefix + text.encode(encoding), headers)


def write(name, data, headers=None):
    path = PAGES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if headers:
        Path(f"{path}.headers").write_text("HTTP/1.1 200 OK\n" + headers + "\n")


HTML = "Content-Type: text/html"

page("cz/library.html", "windows-1250", '\n<meta charset="windows-1250">\n<title>Knihovna</title>\n',
     "<h1>Městská knihovna</h1>\n<p>Otevřeno denně kromě pondělí. „Příliš žluťoučký kůň“ – výstava do konce května.</p>",
     HTML, lang="cs")
page("jp/timetable.html", "cp932", '\n<title>時刻表</title>\n<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">\n',
     "<h1>バス時刻表</h1>\n<p>①番のりば～市民病院前、所要時間は約20分です。</p>", HTML, lang="ja")
page("kr/notice.html", "cp949", '\n<meta charset="utf-8">\n<title>공지</title>\n',
     "<p>도서관은 월요일을 제외하고 매일 문을 엽니다. 똠방각하 전시회.</p>", "Content-Type: text/html; charset=euc-kr", lang="ko")
page("fr/menu.html", "windows-1252", '\n<meta charset="iso-8859-1">\n<title>Menu</title>\n',
     "<p>Le “plat du jour” à 12 € — crème brûlée…</p>", HTML, lang="fr")
page("de/aktuell.html", "utf-8", "\n<title>Grüße</title>\n", "<p>Übermäßig große Öffnungszeiten: täglich 9–18 Uhr.</p>",
     HTML, lang="de")
page("ru/novosti.html", "windows-1251", "\n<title>Новости</title>\n",
     "<p>Городская библиотека открыта каждый день, кроме понедельника, с девяти утра до восьми вечера.</p>", HTML, lang="ru")
page("cn/old-portal.html", "gb18030",
     "\n<script>" + "var navigation = { open: true, items: [] };\n" * 30 + "</script>\n<meta charset=gb2312>\n<title>门户</title>\n",
     "<p>图书馆每天开放，周一闭馆。价格：€5。</p>", HTML, lang="zh")
page("gr/bom.html", "utf-8", '\n<meta charset="iso-8859-7">\n<title>Ώρες</title>\n',
     "<p>Η βιβλιοθήκη είναι ανοιχτή κάθε μέρα.</p>", "Content-Type: text/html; charset=windows-1253", prefix=b"\xef\xbb\xbf", lang="el")
page("ua/quoted-header.html", "windows-1251", '\n<meta charset="windows-1251">\n<title>Графік</title>\n',
     "<p>Бібліотека відчинена щодня, крім понеділка; їжу приносити не можна.</p>", "Content-Type: text/html;charset='utf-8'", lang="uk")
write("it/broken.html", b"<!doctype html>\n<meta charset=utf-8>\n<title>Orari</title>\n<p>Perch\xe9 no? Citt\xc3\xa0 e caff\xc3\xa8, \xe2\x82.</p>\n", HTML)
write("pl/feed.xml", '<?xml version="1.0" encoding="iso-8859-2"?>\n<rss version="2.0"><channel><title>Zażółć gęślą jaźń</title></channel></rss>\n'.encode("iso-8859-2"),
      "Content-Type: application/rss+xml")
write("es/datos.json", b'\xef\xbb\xbf{"ciudad": "A Coru\xc3\xb1a"}\n', "Content-Type: application/json; charset=iso-8859-1")
