"""May of last, this and next year, in the word orders of each language."""

from datetime import UTC, datetime

import pytest

from timewords import find_dates, find_window

# At the first moment May is still to come; at the second it is over.
MOMENTS = (datetime(2026, 3, 10, 12, tzinfo=UTC), datetime(2026, 8, 12, 12, tzinfo=UTC))
AROUND = {
    "de": ("Wir waren {} in Rom", "Was haben wir {} gemacht?"),
    "es": ("Estuvimos {} en Roma", "¿Qué hicimos {}?"),
    "fr": ("Nous étions {} à Rome", "Qu'avons-nous fait {} ?"),
    "it": ("Eravamo {} a Roma", "Cosa abbiamo fatto {}?"),
    "nl": ("We waren {} in Rome", "Wat deden we {}?"),
    "pt": ("Estivemos {} em Roma", "O que fizemos {}?"),
    "ru": ("Мы были {} в Риме", "Что мы делали {}?"),
    "zh": ("我们{}在罗马", "我们{}做了什么?"),
    "ja": ("私たちは{}ローマにいた", "{}何をしましたか"),
    "en": ("We were {} in Rome", "What did we do {}?"),
}
YEAR_FIRST = {
    "de": {
        2025: ["letztes Jahr im Mai", "im letzten Jahr im Mai", "im vergangenen Jahr im Mai", "voriges Jahr, im Mai"],
        2026: ["dieses Jahr im Mai", "in diesem Jahr im Mai"],
        2027: ["nächstes Jahr im Mai", "im nächsten Jahr im Mai", "kommendes Jahr im Mai"],
        2024: ["vorletztes Jahr im Mai"],
        2028: ["übernächstes Jahr im Mai"],
    },
    "es": {
        2025: ["el año pasado en mayo", "el pasado año en mayo", "el año anterior, en mayo"],
        2026: ["este año en mayo"],
        2027: ["el próximo año en mayo", "el año próximo en mayo", "el año que viene en mayo"],
    },
    "fr": {
        2025: ["l'année dernière en mai", "l'an dernier en mai", "l'année passée en mai", "l'an passé au mois de mai"],
        2026: ["cette année en mai", "cette année, en mai"],
        2027: ["l'année prochaine en mai", "l'an prochain en mai"],
    },
    "it": {
        2025: [
            "l'anno scorso a maggio", "lo scorso anno a maggio", "l'anno passato a maggio", "l'anno scorso in maggio",
            "l'anno scorso nel mese di maggio",
        ],
        2026: ["quest'anno a maggio"],
        2027: ["l'anno prossimo a maggio", "il prossimo anno a maggio"],
    },
    "nl": {
        2025: ["vorig jaar in mei", "afgelopen jaar in mei", "het afgelopen jaar in mei"],
        2026: ["dit jaar in mei"],
        2027: ["volgend jaar in mei", "komend jaar in mei"],
    },
    "pt": {
        2025: ["no ano passado em maio", "o ano passado em maio", "ano passado, em maio"],
        2026: ["este ano em maio", "neste ano em maio"],
        2027: ["no próximo ano em maio", "no ano que vem em maio"],
    },
    "ru": {
        2025: ["в прошлом году в мае", "прошлый год в мае"],
        2026: ["в этом году в мае"],
        2027: ["в следующем году в мае", "в будущем году в мае"],
        2024: ["в позапрошлом году в мае"],
    },
    "zh": {
        2025: ["去年五月", "去年5月份", "去年的五月"], 2026: ["今年五月", "今年的5月"], 2027: ["明年五月", "明年的5月"],
        2024: ["前年五月", "前年的五月"],
    },
    "ja": {
        2025: ["去年の5月", "去年5月", "昨年の五月"], 2026: ["今年の5月", "今年5月"], 2027: ["来年の5月", "来年5月"],
        2024: ["一昨年の5月"],
    },
    "en": {2025: ["last year in May", "last year, in May"], 2026: ["this year in May"], 2027: ["next year in May"]},
}  # fmt: skip
MONTH_FIRST = {
    "de": {
        2025: [
            "im Mai letzten Jahres", "im Mai des letzten Jahres", "im Mai vom letzten Jahr", "im Mai letztes Jahr",
            "im Mai des vergangenen Jahres", "im Mai, letztes Jahr",
        ],
        2026: ["im Mai dieses Jahres", "im Mai in diesem Jahr"],
        2027: ["im Mai nächsten Jahres", "im Mai des nächsten Jahres", "im Mai kommenden Jahres"],
        2024: ["im Mai vorletzten Jahres"],
    },
    "es": {
        2025: [
            "en mayo del año pasado", "en mayo el año pasado", "en mayo del pasado año", "el mayo del año pasado",
            "en el mes de mayo del año pasado",
        ],
        2026: ["en mayo de este año", "en mayo este año"],
        2027: ["en mayo del próximo año", "en mayo del año que viene"],
    },
    "fr": {
        2025: [
            "en mai de l'année dernière", "en mai de l'an dernier", "en mai l'an dernier", "en mai de l'année passée",
            "au mois de mai de l'année dernière",
        ],
        2026: ["en mai de cette année", "en mai cette année"],
        2027: ["en mai de l'année prochaine", "en mai l'an prochain"],
    },
    "it": {
        2025: [
            "a maggio dell'anno scorso", "nel maggio dell'anno scorso", "a maggio l'anno scorso",
            "nel maggio dello scorso anno", "nel mese di maggio dell'anno scorso",
        ],
        2026: ["a maggio di quest'anno", "a maggio quest'anno"],
        2027: ["a maggio dell'anno prossimo", "nel maggio del prossimo anno"],
    },
    "nl": {
        2025: ["in mei vorig jaar", "in mei van vorig jaar", "in mei van het afgelopen jaar"],
        2026: ["in mei van dit jaar", "in mei dit jaar"],
        2027: ["in mei volgend jaar", "in mei van volgend jaar"],
    },
    "pt": {
        2025: ["em maio do ano passado", "no mês de maio do ano passado", "em maio, no ano passado"],
        2026: ["em maio deste ano"],
        2027: ["em maio do próximo ano", "em maio do ano que vem"],
    },
    "ru": {
        2025: ["в мае прошлого года", "в мае в прошлом году", "май прошлого года"],
        2026: ["в мае этого года"],
        2027: ["в мае следующего года", "в мае будущего года"],
    },
    "en": {
        2025: ["in May last year", "in May of last year", "May last year"],
        2026: ["in May this year", "in May of this year"],
        2027: ["in May next year", "in May of next year"],
    },
}  # fmt: skip
CASES = [
    (code, phrase, year)
    for table in (YEAR_FIRST, MONTH_FIRST)
    for code, years in table.items()
    for year, phrases in years.items()
    for phrase in phrases
]


@pytest.mark.parametrize(("code", "phrase", "year"), CASES)
def test_a_month_beside_a_year_is_of_that_year(code: str, phrase: str, year: int) -> None:
    statement, question = (around.format(phrase) for around in AROUND[code])
    whole = (datetime(year, 5, 1, tzinfo=UTC), datetime(year, 6, 1, tzinfo=UTC))
    for moment in MOMENTS:
        assert [(found.start, found.end) for found in find_dates(statement, said_at=moment)] == [whole]
        window = find_window(question, asked_at=moment)
        assert window is not None
        assert (window.start, window.end) == whole


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("letztes Jahr am 3. Mai", (2025, 5, 3)),
        ("am 3. Mai letzten Jahres", (2025, 5, 3)),
        ("el año pasado el 3 de mayo", (2025, 5, 3)),
        ("el 3 de mayo del año pasado", (2025, 5, 3)),
        ("l'an dernier le 3 mai", (2025, 5, 3)),
        ("le 3 mai de l'année dernière", (2025, 5, 3)),
        ("l'anno scorso il 3 maggio", (2025, 5, 3)),
        ("il 3 maggio dell'anno scorso", (2025, 5, 3)),
        ("vorig jaar op 3 mei", (2025, 5, 3)),
        ("op 3 mei van vorig jaar", (2025, 5, 3)),
        ("no dia 3 de maio do ano passado", (2025, 5, 3)),
        ("в прошлом году 3 мая", (2025, 5, 3)),
        ("去年的5月3日", (2025, 5, 3)),
        ("vorletztes Jahr an Weihnachten", (2024, 12, 25)),
        ("l'année prochaine à Noël", (2027, 12, 25)),
        ("Natale dell'anno prossimo", (2027, 12, 25)),
    ],
)
def test_so_is_a_day(text: str, day: tuple[int, int, int]) -> None:
    (found,) = find_dates(text, said_at=MOMENTS[1])
    assert found.start == datetime(*day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("летом прошлого года", (2025, 6), (2025, 9)),
        ("l'estate dell'anno scorso", (2025, 6), (2025, 9)),
        ("im Sommer nächsten Jahres", (2027, 6), (2027, 9)),
        ("tra marzo e maggio dell'anno scorso", (2025, 3), (2025, 6)),
        ("de mars à mai de l'année dernière", (2025, 3), (2025, 6)),
        ("entre marzo y mayo del año pasado", (2025, 3), (2025, 6)),
    ],
)
def test_so_are_seasons_and_ranges(text: str, first: tuple[int, int], after: tuple[int, int]) -> None:
    (found,) = find_dates(text, said_at=MOMENTS[1])
    assert (found.start, found.end) == (datetime(*first, 1, tzinfo=UTC), datetime(*after, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Im Mai und letztes Jahr", ["Im Mai", "letztes Jahr"]),
        ("Im Mai war ich krank, letztes Jahr auch", ["Im Mai", "letztes Jahr"]),
        ("Letztes Jahr August Müller getroffen", ["Letztes Jahr"]),
        ("El año pasado, Julio vino a verme", ["El año pasado"]),
        ("L'an dernier, Mars était visible", ["L'an dernier"]),
    ],
)
def test_a_separate_date_or_a_name_is_not_of_that_year(text: str, read: list[str]) -> None:
    assert [found.text for found in find_dates(text, said_at=MOMENTS[1])] == read
