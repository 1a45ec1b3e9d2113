from datetime import UTC, datetime

import pytest

from timewords import find_window

ASKED_AT = datetime(2026, 8, 12, 14, 30, tzinfo=UTC)  # a Wednesday


def days(query: str) -> tuple[str, str] | None:
    """The first and the last day, both inclusive."""
    window = find_window(query, asked_at=ASKED_AT)
    if window is None:
        return None
    return (
        window.start.date().isoformat() if window.start else "open",
        window.last.date().isoformat() if window.last else "open",
    )


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("what did I do last spring", "2026-03-01", "2026-05-31"),
        ("what happened last winter?", "2025-12-01", "2026-02-28"),
        ("between March and May", "2026-03-01", "2026-05-31"),
        ("between March and May 2024", "2024-03-01", "2024-05-31"),
        ("what did she say in the last two weeks", "2026-07-29", "2026-08-12"),
        ("What did I do last two weeks?", "2026-07-29", "2026-08-12"),
        ("what did she say over the last a few weeks", "2026-07-22", "2026-08-12"),
        ("before 2020", "open", "2019-12-31"),
        ("after 2020", "2021-01-01", "open"),
        ("since last Christmas", "2025-12-25", "open"),
        ("after 2010 and before 2018", "2011-01-01", "2017-12-31"),
        ("in March and May", "2026-03-01", "2026-05-31"),
        ("What did Ana say on Wednesday?", "2026-08-12", "2026-08-12"),
        ("What is planned for tomorrow?", "2026-08-13", "2026-08-13"),
        ("yesterday at 5pm", "2026-08-11", "2026-08-11"),
        ("what did I tell you an hour ago", "2026-08-12", "2026-08-12"),
        ("the weekend before my birthday on 1 May", "2026-04-25", "2026-04-26"),
        ("two weeks ago", "2026-07-29", "2026-07-29"),
        ("in the 90s", "1990-01-01", "1999-12-31"),
        ("in the early 2000s", "2000-01-01", "2004-12-31"),
        ("in the mid 1990s", "1993-05-01", "1996-08-31"),
        ("in the late 2010s", "2015-01-01", "2019-12-31"),
        ("in the mid 18th century", "1733-05-01", "1766-08-31"),
        ("What happened within 48 hours?", "2026-08-10", "2026-08-12"),
        ("Who called within two weeks?", "2026-07-29", "2026-08-12"),
        ("What happened within the next 48 hours?", "2026-08-12", "2026-08-14"),
        ("What is due within 48 hours?", "2026-08-12", "2026-08-14"),
        ("anything due within 48 hours", "2026-08-12", "2026-08-14"),
        ("5 May - 8 May 2024", "2024-05-05", "2024-05-08"),
        ("august", "2026-08-01", "2026-08-31"),
        ("year 9999", "9999-01-01", "9999-12-31"),
        ("december 0001", "0001-12-01", "0001-12-31"),
        ("What happened in 2019?", "2019-01-01", "2019-12-31"),
        ("over the weekend", "2026-08-08", "2026-08-09"),
        ("this quarter", "2026-07-01", "2026-09-30"),
        ("what happened 2019-2021", "2019-01-01", "2021-12-31"),
        ("in the years 2019\u20132021", "2019-01-01", "2021-12-31"),
        ("the budget of 2019/20", "2019-01-01", "2020-12-31"),
        ("1998 to 2003", "1998-01-01", "2003-12-31"),
        ("in 2008-09", "2008-09-01", "2008-09-30"),
        ("between Christmas and New Year", "2025-12-25", "2026-01-01"),
        ("from Thanksgiving to the new year", "2025-11-27", "2026-01-01"),
        ("up to and including Friday", "open", "2026-08-07"),
        ("on or before 3 May 2024", "open", "2024-05-03"),
        ("on or after 3 May 2024", "2024-05-03", "open"),
        ("the summer before last", "2024-06-01", "2024-08-31"),
        ("What was I doing this time last year?", "2025-07-29", "2025-08-26"),
        ("What did we do over Christmas?", "2025-12-24", "2025-12-26"),
        ("Who came over Christmas 2023?", "2023-12-24", "2023-12-26"),
        ("over Easter", "2026-04-03", "2026-04-06"),
        ("over Christmas Eve", "2025-12-24", "2025-12-24"),
        ("the Christmas before last", "2024-12-25", "2024-12-25"),
        ("the March before last", "2025-03-01", "2025-03-31"),
        ("the decade before last", "2000-01-01", "2009-12-31"),
        ("the night before last", "2026-08-10", "2026-08-10"),
        ("the spring after next", "2028-03-01", "2028-05-31"),
        ("the Monday after next", "2026-08-24", "2026-08-24"),
        ("the Monday before last", "2026-08-03", "2026-08-03"),
        ("the week after next", "2026-08-24", "2026-08-30"),
        ("Who called within the last three days?", "2026-08-09", "2026-08-12"),
        ("What did we do in the summer?", "2026-06-01", "2026-08-31"),
        ("the 15th of last month", "2026-07-15", "2026-07-15"),
        ("in mid-May", "2026-05-11", "2026-05-20"),
        ("the second Monday after Easter", "2026-04-13", "2026-04-13"),
        ("the third Friday before Christmas", "2025-12-05", "2025-12-05"),
        ("What is scheduled before Friday?", "open", "2026-08-13"),
        ("We were in Rome in May. Two friends came along. Who?", "2026-05-01", "2026-05-31"),
        ("In June, two of us fell ill. Who?", "2026-06-01", "2026-06-30"),
        ("What happened on Sept. 2?", "2025-09-02", "2025-09-02"),
        ("What is planned for the coming weekend?", "2026-08-15", "2026-08-16"),
        ("What did I do earlier this year?", "2026-01-01", "2026-08-12"),
        ("What did I read in the past fortnight?", "2026-07-29", "2026-08-12"),
        ("Where was I in the summer two years ago?", "2024-06-01", "2024-08-31"),
        ("What did I do three years ago in May?", "2023-05-01", "2023-05-31"),
        ("What did I do in May and in July?", "2026-05-01", "2026-07-31"),
        ("What happened yesterday and the day before?", "2026-08-10", "2026-08-11"),
        ("What did I eat on Monday and on Tuesday?", "2026-08-10", "2026-08-11"),
        ("Do you know when Mother's Day is this year?", "2026-05-10", "2026-05-10"),
        ("What happened in the last day?", "2026-08-11", "2026-08-11"),
        ("Who called the last day or two?", "2026-08-11", "2026-08-11"),
        ("In the last year I smoked. What else?", "2025-01-01", "2025-12-31"),
        ("the last week of May", "2026-05-25", "2026-05-31"),
        ("Did I meet her last week?", "2026-08-03", "2026-08-09"),
        ("Was I at Joe's last week?", "2026-08-03", "2026-08-09"),
        ("Summarize my last week", "2026-08-03", "2026-08-09"),
        ("What did I do on my last summer holidays?", "2025-06-01", "2025-08-31"),
        ("Who joined in the second quarter?", "2026-04-01", "2026-06-30"),
        ("Did Sarah call Sat or Sun?", "2026-08-08", "2026-08-09"),
        ("What was new in FY-2024?", "2024-01-01", "2024-12-31"),
    ],
)
def test_an_english_query_names_its_window(query: str, first: str, last: str) -> None:
    assert days(query) == (first, last)


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("was habe ich letzte Woche gemacht", "2026-08-03", "2026-08-09"),
        ("zwischen März und Mai", "2026-03-01", "2026-05-31"),
        ("Treffen am 3. Oktober 2024", "2024-10-03", "2024-10-03"),
        ("vor drei Wochen", "2026-07-22", "2026-07-22"),
        ("seit 2019", "2019-01-01", "open"),
        ("letzten Winter", "2025-12-01", "2026-02-28"),
        ("am Montag", "2026-08-10", "2026-08-10"),
        ("kommendes Wochenende", "2026-08-15", "2026-08-16"),
        ("nächstes Wochenende", "2026-08-22", "2026-08-23"),
        ("Anfang März 2025", "2025-03-01", "2025-03-15"),
        ("letztes Jahr Ende Mai", "2025-05-16", "2025-05-31"),
        ("Wo war ich im Sommer vor zwei Jahren?", "2024-06-01", "2024-08-31"),
        ("début mars 2025", "2025-03-01", "2025-03-15"),
        ("à la mi-mai 2024", "2024-05-11", "2024-05-20"),
        ("a finales de marzo de 2025", "2025-03-16", "2025-03-31"),
        ("el verano de hace dos años", "2024-06-01", "2024-08-31"),
        ("в начале марта 2025", "2025-03-01", "2025-03-15"),
        ("qu'ai-je dit le mois dernier", "2026-07-01", "2026-07-31"),
        ("il y a deux semaines", "2026-07-29", "2026-07-29"),
        ("l'été dernier", "2025-06-01", "2025-08-31"),
        ("entre mars et mai 2023", "2023-03-01", "2023-05-31"),
        ("avant 2020", "open", "2019-12-31"),
        ("le 14 juillet", "2026-07-14", "2026-07-14"),
        ("la semana que viene", "2026-08-17", "2026-08-23"),
        ("el 5 de enero de 2022", "2022-01-05", "2022-01-05"),
        ("desde marzo", "2026-03-01", "open"),
        ("hace tres meses", "2026-05-12", "2026-05-12"),
        ("el fin de semana pasado", "2026-08-08", "2026-08-09"),
        ("due giorni fa", "2026-08-10", "2026-08-10"),
        ("nella primavera del 2022", "2022-03-01", "2022-05-31"),
        ("lunedì scorso", "2026-08-10", "2026-08-10"),
        ("на прошлой неделе", "2026-08-03", "2026-08-09"),
        ("в мае", "2026-05-01", "2026-05-31"),
        ("между мартом и маем", "2026-03-01", "2026-05-31"),
        ("три месяца назад", "2026-05-12", "2026-05-12"),
        ("прошлым летом", "2025-06-01", "2025-08-31"),
        ("去年春天", "2025-03-01", "2025-05-31"),
        ("三天前", "2026-08-09", "2026-08-09"),
        ("三月到五月", "2026-03-01", "2026-05-31"),
        ("上周五", "2026-08-07", "2026-08-07"),
        ("2020年以前", "open", "2019-12-31"),
        ("最近两周", "2026-07-29", "2026-08-12"),
        ("二〇二四年十月一日", "2024-10-01", "2024-10-01"),
        ("٣年前", "2023-08-12", "2023-08-12"),
        ("३天前", "2026-08-09", "2026-08-09"),
        ("٣月5日", "2026-03-05", "2026-03-05"),
        ("vor ٣ Wochen", "2026-07-22", "2026-07-22"),
        ("Was war am ersten Montag im Mai?", "2026-05-04", "2026-05-04"),
        ("die letzte Woche im Mai 2024", "2024-05-27", "2024-06-02"),
        ("am zweiten Montag nach Ostern", "2026-04-13", "2026-04-13"),
        ("zwischen Weihnachten und Neujahr", "2025-12-25", "2026-01-01"),
        ("die Woche vor Weihnachten", "2025-12-15", "2025-12-21"),
        ("zwei Tage vor Ostern", "2026-04-03", "2026-04-03"),
        ("vorletzte Woche", "2026-07-27", "2026-08-02"),
        ("vorletzten Montag", "2026-08-03", "2026-08-03"),
        ("vorletzten Sommer", "2024-06-01", "2024-08-31"),
        ("übernächste Woche", "2026-08-24", "2026-08-30"),
        ("bis einschließlich Freitag", "open", "2026-08-07"),
        ("zwischen 2019 und 2021", "2019-01-01", "2021-12-31"),
        ("vor fünfzehn Tagen", "2026-07-28", "2026-07-28"),
        ("le premier lundi de mai", "2026-05-04", "2026-05-04"),
        ("le dernier vendredi de mars", "2026-03-27", "2026-03-27"),
        ("entre Noël et le Nouvel An", "2025-12-25", "2026-01-01"),
        ("il y a quinze jours", "2026-07-28", "2026-07-28"),
        ("l'avant-dernière semaine", "2026-07-27", "2026-08-02"),
        ("de 2019 à 2021", "2019-01-01", "2021-12-31"),
        ("el primer lunes de mayo", "2026-05-04", "2026-05-04"),
        ("la semana antepasada", "2026-07-27", "2026-08-02"),
        ("entre Navidad y Año Nuevo", "2025-12-25", "2026-01-01"),
        ("hace veinte días", "2026-07-23", "2026-07-23"),
        ("il primo lunedì di maggio", "2026-05-04", "2026-05-04"),
        ("tra Natale e Capodanno", "2025-12-25", "2026-01-01"),
        ("de eerste maandag van mei", "2026-05-04", "2026-05-04"),
        ("eervorige week", "2026-07-27", "2026-08-02"),
        ("tussen kerst en nieuwjaar", "2025-12-25", "2026-01-01"),
        ("na primeira segunda-feira de maio", "2026-05-04", "2026-05-04"),
        ("entre o Natal e o Ano Novo", "2025-12-25", "2026-01-01"),
        ("в первый понедельник мая", "2026-05-04", "2026-05-04"),
        ("позапрошлым летом", "2024-06-01", "2024-08-31"),
        ("между 2019 и 2021", "2019-01-01", "2021-12-31"),
        ("五月的第一个星期一", "2026-05-04", "2026-05-04"),
        ("2024年5月的最后一个星期五", "2024-05-31", "2024-05-31"),
        ("圣诞节到元旦", "2025-12-25", "2026-01-01"),
        ("2019-2021年", "2019-01-01", "2021-12-31"),
        ("半年前", "2026-02-12", "2026-02-12"),
        ("2023年上半年", "2023-01-01", "2023-06-30"),
        ("去年下半年", "2025-07-01", "2025-12-31"),
        ("未来两周", "2026-08-12", "2026-08-25"),
        ("2020年之后", "2021-01-01", "open"),
        ("2020年以来", "2020-01-01", "open"),
        ("自2020年", "2020-01-01", "open"),
        ("周末", "2026-08-15", "2026-08-16"),
        ("二週間前", "2026-07-29", "2026-07-29"),
        ("３か月前に何をした", "2026-05-12", "2026-05-12"),
        ("おととい", "2026-08-10", "2026-08-10"),
        ("2週間後", "2026-08-26", "2026-08-26"),
        ("過去3日間", "2026-08-09", "2026-08-12"),
        ("2020年より前", "open", "2019-12-31"),
        ("2020年の後", "2021-01-01", "open"),
        ("2020年まで", "open", "2020-12-31"),
        ("月曜日", "2026-08-10", "2026-08-10"),
        ("一昨日", "2026-08-10", "2026-08-10"),
        ("先々週", "2026-07-27", "2026-08-02"),
        ("先週の月曜日", "2026-08-03", "2026-08-03"),
        ("去年の夏", "2025-06-01", "2025-08-31"),
        ("昨年の3月", "2025-03-01", "2025-03-31"),
        ("3月から5月まで", "2026-03-01", "2026-05-31"),
        ("2020年以降", "2020-01-01", "open"),
        ("5月の第1月曜日", "2026-05-04", "2026-05-04"),
        ("クリスマスから元旦まで", "2025-12-25", "2026-01-01"),
        ("¿Qué hago mañana por la mañana?", "2026-08-13", "2026-08-13"),
        ("¿Qué hice esta mañana?", "2026-08-12", "2026-08-12"),
        ("Was mache ich morgen früh?", "2026-08-13", "2026-08-13"),
        ("Was habe ich heute Morgen gemacht?", "2026-08-12", "2026-08-12"),
        ("Was war am Montag Morgen?", "2026-08-10", "2026-08-10"),
        ("Wo war ich Silvester?", "2025-12-31", "2025-12-31"),
        ("Cosa ho fatto a Ferragosto?", "2025-08-15", "2025-08-15"),
        ("Cosa ho fatto stamattina?", "2026-08-12", "2026-08-12"),
        ("Wat deed ik vanmorgen?", "2026-08-12", "2026-08-12"),
        ("Wat doe ik morgen?", "2026-08-13", "2026-08-13"),
    ],
)
def test_the_languages_with_a_table_name_their_window(query: str, first: str, last: str) -> None:
    assert days(query) == (first, last)


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("o que fiz ontem", "2026-08-11", "2026-08-11"),
        ("reunião de 3 de março de 2025", "2025-03-03", "2025-03-03"),
        ("vorige maand", "2026-07-01", "2026-07-31"),
        ("w zeszłym tygodniu", "2026-08-03", "2026-08-09"),
        ("geçen hafta", "2026-08-03", "2026-08-09"),
        ("어제", "2026-08-11", "2026-08-11"),
        ("先週", "2026-08-03", "2026-08-09"),
    ],
)
def test_other_languages_are_left_to_the_library(query: str, first: str, last: str) -> None:
    assert days(query) == (first, last)


@pytest.mark.parametrize(
    "query",
    [
        "What is the meaning of May's name", "second", "sunday school", "version 2.1.3", "it costs $2000", "march on",
        "What did April say?", "call June", "August Wilson plays", "Room 2019", "buy 2020 shares", "1/2 cup",
        "How many days did it take?", "was gibt es hier", "Mars rover", "fall of Rome", "spring rolls", "every Monday",
        "Friday prayers explained", "10 most recent", "iPhone 12", "Fred said hello to Maine", "24/7 support",
        "一百万年前", "https://example.com/2019?id=42", "0000-00-00", "2020-13-45", "   ", "...", "1234567890" * 20,
        "What happened on the first Monday?", "am ersten Montag", "第一个星期一", "2015-32", "before 0001",
        "before year 0001", "after 9999", "What did Noel say to Natale?", "Happy new year!", "きょうだいは何人",
        "the last " + "9" * 400 + " days of x", "一" * 5000 + "年前", "next 0 business days",
        "Which talk is expected to last an hour?", "How will it last three weeks?", "batteries that last a day",
        "What doesn't last 2 months?", "What is 3/4 of 12?", "Who lives at 12 May Street?",
        "from 2026-05-01 to 2026-04-01", "What was Marta's last day?", "When is my last day at work?",
        "the last day", "What happened in the last year of school?", "What was the last year I smoked?",
        "What was my last summer job?", "Is this the last night of the show?", "It was her last week at Acme",
        "Who scored in the second quarter?", "Which Easter egg did I find?", "Who filed ticket ABC-2024?",
        "At the end of the day, what matters?", "¿Qué hago por la mañana?", "a las 8 de la mañana",
        "Was mache ich am Morgen?", "Guten Morgen!", "Goede morgen!", "Wer ist Silvester?",
    ],
)  # fmt: skip
def test_a_query_without_a_time_has_no_window(query: str) -> None:
    assert days(query) is None


@pytest.mark.parametrize(
    ("asked_at", "query", "first"),
    [
        (datetime(2026, 1, 20, tzinfo=UTC), "What did I do this winter?", "2025-12-01"),
        (datetime(2026, 1, 20, tzinfo=UTC), "Was habe ich diesen Winter gemacht?", "2025-12-01"),
        (datetime(2026, 3, 20, tzinfo=UTC), "What did I do this winter?", "2025-12-01"),
        (datetime(2026, 3, 20, tzinfo=UTC), "Where will we ski this winter?", "2026-12-01"),
        (datetime(2026, 12, 20, tzinfo=UTC), "What did I do this winter?", "2026-12-01"),
    ],
)
def test_this_winter_began_last_year_until_it_is_over(asked_at: datetime, query: str, first: str) -> None:
    window = find_window(query, asked_at=asked_at)
    assert window is not None
    assert window.start is not None
    assert window.start.date().isoformat() == first


def test_the_window_says_which_words_made_it() -> None:
    window = find_window("What did I eat last week in Rome?", asked_at=ASKED_AT)
    assert window is not None
    assert (window.text, window.span) == ("last week", (15, 24))


def test_a_very_long_query_is_answered() -> None:
    window = find_window("yesterday " + "word " * 20_000, asked_at=ASKED_AT)
    assert window is not None
    assert window.text == "yesterday"


def test_a_query_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        find_window("today", asked_at=datetime(2026, 8, 12))  # noqa: DTZ001 the point of the test
