"""A date beside a year that is told from today: "im Mai letzten Jahres", "l'anno scorso a maggio"."""

import re
from collections.abc import Iterator

from banks.dates.chart import Rule, glue
from banks.dates.expressions.steps import Ago, CalendarUnit
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import Holiday, InYearOf, MonthDay, Stretch, Yearly
from banks.dates.languages.patterns import any_of
from banks.dates.languages.vocabulary import Vocabulary

_YEAR = (CalendarUnit, Ago)  # "last year", "two years ago"
_SELF_EVIDENT = (MonthDay, Holiday, Stretch)  # a bare month may be another word, as long as nothing leads to it


def dates_of_years(language: Vocabulary) -> Iterator[Rule]:
    """The longer reading wins: in "l'anno scorso a maggio" it is the year that is last, not the May."""
    links = _words((*language.links, *language.of, *language.in_month))
    leads = _words((*language.in_month, *language.in_season, *language.feast_leads))
    yield Rule((Yearly, glue(r",?\s*"), _YEAR), _date_first)
    yield Rule((Yearly, glue(rf",?\s*{links}"), _YEAR), _date_first)
    yield Rule((_YEAR, glue(r",?\s*"), _SELF_EVIDENT), _year_first)
    yield Rule((_YEAR, glue(rf",?\s*{_words(language.articles)}"), _SELF_EVIDENT), _year_first)
    yield Rule((_YEAR, glue(rf",?\s*{leads}(?:{leads})?"), Yearly), _year_first)


def _words(names: tuple[str, ...]) -> str:
    """One of them with the space behind it. An article is left to what follows, which may hold it."""
    return rf"(?<![^\W_])(?:{any_of(names)})(?:(?<=')|\s+)"


def _date_first(date: Yearly, _: re.Match[str], year: CalendarUnit | Ago) -> Value | None:
    return InYearOf(date, year) if date.year is None and is_of_years(year) else None


def is_of_years(year: CalendarUnit | Ago) -> bool:
    return year.counts_years if isinstance(year, Ago) else year.unit == "year"


def _year_first(year: CalendarUnit | Ago, between: re.Match[str], date: Yearly) -> Value | None:
    return _date_first(date, between, year)
