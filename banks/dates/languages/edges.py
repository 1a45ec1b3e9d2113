"""The beginning, middle and end of a time: "Anfang März 2025", "début mars", "a finales de 2024"."""

import re
from collections.abc import Iterator
from functools import partial

from banks.dates.chart import Rule, glue, word
from banks.dates.english.years import Year
from banks.dates.expressions.inside import Edge, Part
from banks.dates.expressions.steps import Ago, CalendarUnit
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import InYearOf, Yearly
from banks.dates.languages.dates_of_years import is_of_years
from banks.dates.languages.patterns import any_of, led_by_any
from banks.dates.languages.vocabulary import Vocabulary

_WHOLE = (Yearly, Year, CalendarUnit, InYearOf)


def edges(language: Vocabulary) -> Iterator[Rule]:
    parts: tuple[tuple[Part, tuple[str, ...]], ...] = (
        ("early", language.early), ("mid", language.mid), ("late", language.late),
    )  # fmt: skip
    links = rf"-?\s*{led_by_any((*language.links, *language.of))}{led_by_any(language.articles)}"
    for part, names in parts:
        yield Rule((word(any_of(names)), glue(links), _WHOLE), partial(_edge, part))
    yield Rule(((CalendarUnit, Ago), glue(r",?\s*"), Edge), _in_year)


def _edge(part: Part, _: re.Match[str], __: re.Match[str], whole: Yearly | Year | CalendarUnit) -> Value | None:
    is_day = isinstance(whole, CalendarUnit) and whole.unit == "day"
    return None if is_day else Edge(part, whole)


def _in_year(year: CalendarUnit | Ago, _: re.Match[str], edge: Edge) -> Value | None:
    """As in "letztes Jahr Anfang Mai"."""
    whole = edge.whole
    if not isinstance(whole, Yearly) or whole.year is not None or not is_of_years(year):
        return None
    return Edge(edge.part, InYearOf(whole, year))
