"""From 3 March to 5 May and from March to May, in the phrases of each language."""

from datetime import UTC, datetime

import pytest

from timewords import find_dates, find_window

MOMENT = datetime(2024, 6, 1, 12, tzinfo=UTC)
# A sentence and a question around the range; "{year}" adds a year.
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
YEARS = {"es": " de 2021", "pt": " de 2021", "zh": "2021年", "ja": "2021年"}
DAYS = {
    "de": [
        "3. März bis 5. Mai{year}", "vom 3. März bis zum 5. Mai{year}", "zwischen dem 3. März und dem 5. Mai{year}",
        "3. März - 5. Mai{year}",
    ],
    "es": [
        "3 de marzo hasta el 5 de mayo{year}", "del 3 de marzo al 5 de mayo{year}", "3 de marzo al 5 de mayo{year}",
        "entre el 3 de marzo y el 5 de mayo{year}", "desde el día 3 de marzo hasta el día 5 de mayo{year}",
    ],
    "fr": [
        "3 mars jusqu'au 5 mai{year}", "du 3 mars au 5 mai{year}", "entre le 3 mars et le 5 mai{year}",
        "3 mars au 5 mai{year}", "3 mars - 5 mai{year}",
    ],
    "it": [
        "3 marzo fino al 5 maggio{year}", "dal 3 marzo al 5 maggio{year}", "tra il 3 marzo e il 5 maggio{year}",
        "3 marzo al 5 maggio{year}",
    ],
    "nl": [
        "3 maart tot 5 mei{year}", "3 maart t/m 5 mei{year}", "van 3 maart tot en met 5 mei{year}",
        "tussen 3 maart en 5 mei{year}",
    ],
    "pt": [
        "3 de março até 5 de maio{year}", "de 3 de março a 5 de maio{year}", "3 de março a 5 de maio{year}",
        "entre o dia 3 de março e o dia 5 de maio{year}",
    ],
    "ru": [
        "3 марта до 5 мая{year}", "3 марта по 5 мая{year}", "с 3 марта по 5 мая{year} года",  # noqa: RUF001 - Russian letters
        "между 3 марта и 5 мая{year}",
    ],
    "zh": ["{year}3月3日到5月5日", "从{year}3月3日至5月5日", "在{year}3月3日和5月5日之间"],
    "ja": ["{year}3月3日から5月5日まで", "{year}3月3日〜5月5日", "{year}3月3日と5月5日の間"],
    "en": ["3 March to 5 May{year}", "from 3 March until 5 May{year}", "between 3 March and 5 May{year}"],
}  # fmt: skip
MONTHS = {
    "de": ["März bis Mai{year}", "von März bis Mai{year}", "zwischen März und Mai{year}"],
    "es": ["marzo hasta mayo{year}", "de marzo a mayo{year}", "entre marzo y mayo{year}", "marzo a mayo{year}"],
    "fr": ["mars jusqu'en mai{year}", "de mars à mai{year}", "entre mars et mai{year}", "mars à mai{year}"],
    "it": ["marzo fino a maggio{year}", "da marzo a maggio{year}", "tra marzo e maggio{year}"],
    "nl": ["maart tot mei{year}", "van maart tot en met mei{year}", "tussen maart en mei{year}"],
    "pt": ["março até maio{year}", "de março a maio{year}", "entre março e maio{year}"],
    "ru": ["март до мая{year}", "с марта по май{year}", "между мартом и маем{year}"],  # noqa: RUF001 - Russian letters
    "zh": ["{year}3月到5月", "{year}三月至五月", "{year}3月和5月之间"],
    "ja": ["{year}3月から5月まで", "{year}3月と5月の間"],
    "en": ["March to May{year}", "from March to May{year}", "between March and May{year}"],
}
ALL = [
    *((code, phrase, "03-03", "05-06") for code, phrases in DAYS.items() for phrase in phrases),
    *((code, phrase, "03-01", "06-01") for code, phrases in MONTHS.items() for phrase in phrases),
]


def build_phrases(language: str, phrase: str) -> list[tuple[str, int]]:
    """The phrases with their expected years: a written year, or the nearest one."""
    said = phrase.format(year=YEARS.get(language, " 2021"))
    return [(said, 2021), (phrase.format(year="").removesuffix(" года"), MOMENT.year)]


def days(start: datetime | None, end: datetime | None) -> tuple[str, str]:
    return f"{start:%Y-%m-%d}" if start else "open", f"{end:%Y-%m-%d}" if end else "open"


@pytest.mark.parametrize(("language", "phrase", "start", "end"), ALL)
def test_a_range_of_dates_is_one_time_in_every_language(language: str, phrase: str, start: str, end: str) -> None:
    sentence, question = AROUND[language]
    for words, year in build_phrases(language, phrase):
        expected = (f"{year}-{start}", f"{year}-{end}")
        for statement in (words, sentence.format(words)):
            assert [days(found.start, found.end) for found in find_dates(statement, said_at=MOMENT)] == [expected]
        window = find_window(question.format(words), asked_at=MOMENT)
        assert window is not None
        assert days(window.start, window.end) == expected


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("vom 3. bis 5. Mai", "2024-05-03", "2024-05-06"),
        ("zwischen dem 3. und dem 5. Mai 2021", "2021-05-03", "2021-05-06"),
        ("del 3 al 5 de mayo", "2024-05-03", "2024-05-06"),
        ("du 3 au 5 mai 2021", "2021-05-03", "2021-05-06"),
        ("tra il 3 e il 5 maggio", "2024-05-03", "2024-05-06"),
        ("3 tot en met 5 mei", "2024-05-03", "2024-05-06"),
        ("de 3 a 5 de maio", "2024-05-03", "2024-05-06"),
        ("с 3 по 5 мая", "2024-05-03", "2024-05-06"),  # noqa: RUF001 - Russian letters
        ("lunes a viernes", "2024-06-03", "2024-06-08"),
        ("lundi au vendredi", "2024-06-03", "2024-06-08"),
        ("maandag t/m vrijdag", "2024-06-03", "2024-06-08"),
        ("ноябрь по февраль", "2024-11-01", "2025-03-01"),
        ("entre o Natal e a Páscoa", "2023-12-25", "2024-04-01"),
        ("3 april tot 5 september 2021", "2021-04-03", "2021-09-06"),
        ("tussen 3 april en 5 september 2021", "2021-04-03", "2021-09-06"),
        ("2019 jusqu'en 2021", "2019-01-01", "2022-01-01"),
        ("с 2019 до 2021", "2019-01-01", "2022-01-01"),  # noqa: RUF001 - Russian letters
    ],
)
def test_the_ends_of_a_range_may_share_a_month_or_be_weekdays_feasts_and_years(text: str, start: str, end: str) -> None:
    assert [days(found.start, found.end) for found in find_dates(text, said_at=MOMENT)] == [(start, end)]


@pytest.mark.parametrize("text", ["cette semaine à Noël", "il 3 marzo e il 5 maggio", "3 mars et 5 mai"])
def test_words_that_also_mean_at_or_and_make_no_range(text: str) -> None:
    assert len(find_dates(text, said_at=MOMENT)) == 2


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("le premier lundi d'avril", "2024-04-01", "2024-04-02"),
        ("1º de maio de 2023", "2023-05-01", "2023-05-02"),
        ("il 1º maggio", "2024-05-01", "2024-05-02"),
        ("le 1er mai", "2024-05-01", "2024-05-02"),
        ("9-го мая 2023 года", "2023-05-09", "2023-05-10"),  # noqa: RUF001 - Russian letters
        ("de 6e mei", "2024-05-06", "2024-05-07"),
        ("l'ultima settimana dell'anno scorso", "2023-12-25", "2024-01-01"),
    ],
)
def test_each_language_has_its_own_suffixes_and_elisions(text: str, start: str, end: str) -> None:
    assert [days(found.start, found.end) for found in find_dates(text, said_at=MOMENT)] == [(start, end)]
