"""One grammar for all languages that separate words by spaces. Their tables hold the words."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from timewords.chart import Rule, glue, led_by, word
from timewords.english.dates import Year
from timewords.expressions import Value, When
from timewords.expressions.composed import Beside, Edge, Nth, Open, Part, Range, Side
from timewords.expressions.counted import Ago, Amount, CalendarUnit, ComingWeekend, Run, Shifted
from timewords.expressions.recurring import (
    Holiday,
    InYearOf,
    Month,
    MonthDay,
    Stretch,
    Turned,
    TurnedWeekday,
    Weekday,
    Yearly,
)
from timewords.languages.vocabulary import Vocabulary, any_of, day_number, led_by_any


@dataclass(frozen=True, slots=True)
class WithArticle(Value):
    """The end of a range after an article. Elsewhere the article is no part of the time."""

    when: When


_END = (When, WithArticle)


def ends_of_ranges(language: Vocabulary) -> Iterator[Rule]:
    """The dates in "zwischen dem 3. März und dem 5. Mai"."""
    if language.articles:
        yield Rule((word(any_of(language.articles)), When), lambda _, when: WithArticle(when))


def bounds(language: Vocabulary) -> Iterator[Rule]:
    sides: tuple[tuple[tuple[str, ...], Side], ...] = (
        (language.since, "since"), (language.before, "before"), (language.after, "after"), (language.until, "until"),
    )  # fmt: skip
    for names, side in sides:
        yield Rule((word(any_of(names)), _END), partial(_open, side))


def _open(side: Side, _: re.Match[str], end: When | WithArticle) -> Value | None:
    anchor = _bare(end)
    return None if isinstance(anchor, Open | Range) else Open(side, anchor)


def _bare(end: When | WithArticle) -> When:
    return end.when if isinstance(end, WithArticle) else end


def ranges(language: Vocabulary) -> Iterator[Rule]:
    between, to, articles = any_of(language.between), any_of(language.to), led_by_any(language.articles)
    joints = any_of((*language.range_glue, *language.date_glue))
    yield Rule((word(between), _END, word(to), _END), lambda _, a, __, b: _range(_bare(a), _bare(b)))
    yield Rule((When, glue(rf"-|(?:{any_of(language.range_glue)})\b"), _END), lambda a, _, b: _range(a, _bare(b)))
    yield Rule((When, word(any_of(language.date_glue)), _END), lambda a, _, b: _range_of_dates(a, _bare(b)))
    day = day_number(language)
    led = rf"(?<![^\W_])(?:{between})\s+{articles}{day}\s*(?:-|(?:{to})\s)\s*{articles}"
    yield Rule((re.compile(led), MonthDay), _days_of_month)
    yield Rule((re.compile(rf"(?<!\w){day}\s*(?:-|(?:{joints})\s)\s*{articles}"), MonthDay), _days_of_month)


def _range(first: When, second: When) -> Value | None:
    return None if isinstance(first, Open | Range) or isinstance(second, Open | Range) else Range(first, second)


def _range_of_dates(first: When, second: When) -> Value | None:
    """A joint that also means "at" needs two times of a kind: "l'an dernier au printemps" is no range."""
    is_date = isinstance(first, Month | MonthDay | Weekday)
    return _range(first, second) if is_date and type(first) is type(second) else None


def _days_of_month(match: re.Match[str], last: MonthDay) -> Value | None:
    first = int(match["day"])
    return Range(MonthDay(last.year, month=last.month, day=first), last) if 1 <= first < last.day else None


_YEAR = (CalendarUnit, Ago)  # "last year", "two years ago"
_SELF_EVIDENT = (MonthDay, Holiday, Stretch)  # a bare month may be another word


def dates_of_years(language: Vocabulary) -> Iterator[Rule]:
    """A date beside a year: "im Mai letzten Jahres", "l'anno scorso a maggio"."""
    links = _words((*language.links, *language.of, *language.in_month))
    leads = _words((*language.in_month, *language.in_season, *language.feast_leads))
    yield Rule((Yearly, glue(r",?\s*"), _YEAR), _date_first)
    yield Rule((Yearly, glue(rf",?\s*{links}"), _YEAR), _date_first)
    yield Rule((_YEAR, glue(r",?\s*"), _SELF_EVIDENT), _year_first)
    yield Rule((_YEAR, glue(rf",?\s*{_words(language.articles)}"), _SELF_EVIDENT), _year_first)
    yield Rule((_YEAR, glue(rf",?\s*{leads}(?:{leads})?"), Yearly), _year_first)


def _words(names: tuple[str, ...]) -> str:
    """One of these words with the space after it."""
    return rf"(?<![^\W_])(?:{any_of(names)})(?:(?<=')|\s+)"


def _date_first(date: Yearly, _: re.Match[str], year: CalendarUnit | Ago) -> Value | None:
    return InYearOf(date, year) if date.year is None and is_of_years(year) else None


def is_of_years(year: CalendarUnit | Ago) -> bool:
    return year.counts_years if isinstance(year, Ago) else year.unit == "year"


def _year_first(year: CalendarUnit | Ago, between: re.Match[str], date: Yearly) -> Value | None:
    return _date_first(date, between, year)


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
    """A part in a year: "letztes Jahr Anfang Mai"."""
    whole = edge.whole
    if not isinstance(whole, Yearly) or whole.year is not None or not is_of_years(year):
        return None
    return Edge(edge.part, InYearOf(whole, year))


_LAST_DAY = 31
Length = Callable[[re.Match[str]], Amount]
_WORD_BEFORE = re.compile(r"([^\W_]+)\s+$")
_LONGEST_WORD = 20
_SENTENCE = 200  # characters to either side that show the language of a word


def build_rules(language: Vocabulary) -> tuple[Rule, ...]:
    parts = (
        _dates, _days, _turned_units, dates_of_years, _counted, _weekdays, _ordinals, _beside, _seasons, _feasts,
        edges, ends_of_ranges, bounds, ranges,
    )  # fmt: skip
    return tuple(rule for part in parts for rule in part(language))


def _dates(language: Vocabulary) -> Iterator[Rule]:
    months, of = any_of(language.months), led_by_any(language.of)
    day = rf"{day_number(language)}\s*{of}({months})"
    leads = any_of(language.in_month)

    def month(match: re.Match[str]) -> Value:
        return Month(month=language.months[match[1]])

    def month_day(match: re.Match[str]) -> Value | None:
        number = int(match["day"])
        return MonthDay(month=language.months[match[2]], day=number) if 1 <= number <= _LAST_DAY else None

    yield Rule((word(rf"({months})\.?"),), month, is_latent=True)
    yield Rule((word(rf"(?:{leads})\s+({months})"),), month)
    yield Rule((re.compile(rf"^\W*({months})\W*$"),), month)
    yield Rule((word(day),), month_day)
    yield Rule((Yearly, glue(rf",?\s*{of}"), Year), _with_year)
    yield Rule((Year, word(any_of(language.after_year))), lambda year, _: year)


def _with_year(date: Yearly, _: re.Match[str], year: Year) -> Value | None:
    return date.with_year(year.number) if date.year is None else None


def _days(language: Vocabulary) -> Iterator[Rule]:
    def day(match: re.Match[str]) -> Value | None:
        if match[1] in language.ambiguous and language.foreign & _words_around(match):
            return None
        if match[1] == language.morning and _is_morning(language, match):
            return None
        return CalendarUnit("day", language.days[match[1]])

    yield Rule((word(rf"({any_of(language.days)})"),), day)


def _is_morning(language: Vocabulary, match: re.Match[str]) -> bool:
    before = _word_before(match)
    return before in language.morning_leads or before in language.weekdays


def _word_before(match: re.Match[str]) -> str:
    before = _WORD_BEFORE.search(match.string, max(0, match.start() - _LONGEST_WORD), match.start())
    return before[1] if before else ""


def _words_around(match: re.Match[str]) -> set[str]:
    return set(re.findall(r"\w+", match.string[max(0, match.start() - _SENTENCE) : match.end() + _SENTENCE]))


def _turns(language: Vocabulary) -> tuple[tuple[int, tuple[str, ...]], ...]:
    turns = (
        (-2, language.before_last), (-1, language.last), (0, language.this), (1, language.next),
        (2, language.after_next),
    )  # fmt: skip
    return tuple((turn, names) for turn, names in turns if names)


def _turned_units(language: Vocabulary) -> Iterator[Rule]:
    units, articles = any_of(language.units), led_by_any(language.articles)
    yield from _coming_weekend(language)
    for turn, names in _turns(language):
        unit = partial(_unit, language, turn)
        yield Rule((word(rf"{articles}(?:{any_of(names)})\s*({units})"),), unit)
        yield Rule((word(rf"{articles}({units})\s+(?:{any_of(names)})"),), unit)
        yield Rule((word(any_of(names)), Yearly), partial(_turned_after, turn))
        yield Rule((Yearly, word(any_of(names))), partial(_turned_before, turn))


def _coming_weekend(language: Vocabulary) -> Iterator[Rule]:
    """These rules come before the other turns, as the first reading of the same words wins."""
    weekends = any_of(name for name, unit in language.units.items() if unit == "weekend")
    articles, coming = led_by_any(language.articles), any_of(language.coming)
    yield Rule((word(rf"{articles}(?:{coming})\s*(?:{weekends})"),), lambda _: ComingWeekend())
    yield Rule((word(rf"{articles}(?:{weekends})\s+(?:{coming})"),), lambda _: ComingWeekend())


def _unit(language: Vocabulary, turn: int, match: re.Match[str]) -> Value:
    return CalendarUnit(language.units[match[1]], turn)


def _turned_after(turn: int, _: re.Match[str], date: Yearly) -> Value | None:
    return Turned(date, turn) if date.year is None else None


def _turned_before(turn: int, date: Yearly, _: re.Match[str]) -> Value | None:
    return Turned(date, turn) if date.year is None else None


def _amount(language: Vocabulary) -> str:
    return rf"(?P<count>\d{{1,9}}|{any_of(language.numbers)})\s+(?P<unit>{any_of(language.units)})"


def _length(language: Vocabulary, match: re.Match[str]) -> Amount:
    count = int(match["count"]) if match["count"].isdigit() else language.numbers[match["count"]]
    return Amount(((count, language.units[match["unit"]]),))


def _counted(language: Vocabulary) -> Iterator[Rule]:
    amount, articles = _amount(language), led_by_any(language.articles)
    length = partial(_length, language)
    for before, after, sign in (
        (language.ago_before, language.ago_after, -1),
        (language.ahead_before, language.ahead_after, 1),
    ):
        ago = partial(_ago, length, sign)
        yield Rule((word(rf"(?:{any_of(before)})\s+{amount}"),), ago)
        yield Rule((word(rf"{amount}\s+(?:{any_of(after)})"),), ago)
    if language.ago_after:
        bare = rf"(?P<unit>{any_of(language.units)})\s+(?:{any_of(language.ago_after)})"
        yield Rule((word(bare),), lambda m: Ago(Amount(((1, language.units[m["unit"]]),)), -1))
    for names, sign in ((language.last, -1), (language.next, 1)):
        run = partial(_run, length, sign)
        yield Rule((word(rf"{articles}(?:{any_of(names)})\s+{amount}"),), run)
        yield Rule((word(rf"{articles}{amount}\s+(?:{any_of(names)})"),), run)
        count = rf"(?P<count>\d{{1,9}}|{any_of(language.numbers)})"
        inner = rf"{articles}{count}\s+(?:{any_of(names)})\s+(?P<unit>{any_of(language.units)})"
        yield Rule((word(inner),), run)


def _ago(length: Length, sign: int, match: re.Match[str]) -> Value:
    return Ago(length(match), sign)


def _run(length: Length, sign: int, match: re.Match[str]) -> Value:
    return Run(length(match), sign)


def _weekdays(language: Vocabulary) -> Iterator[Rule]:
    days, articles = any_of(language.weekdays), led_by_any(language.articles)

    def weekday(match: re.Match[str]) -> Value | None:
        return None if _is_numbered(language, match) else Weekday(language.weekdays[match[1]])

    yield Rule((word(rf"({days})"),), weekday)
    for turn, names in _turns(language):
        turned = partial(_turned_weekday, language, turn)
        yield Rule((word(rf"{articles}(?:{any_of(names)})\s+({days})"),), turned)
        yield Rule((word(rf"{articles}({days})\s+(?:{any_of(names)})"),), turned)


def _is_numbered(language: Vocabulary, match: re.Match[str]) -> bool:
    """A bare "the first Monday" belongs to a month that is named elsewhere; "the last Monday" may not."""
    return language.ordinals.get(_word_before(match), 0) > 0


def _ordinals(language: Vocabulary) -> Iterator[Rule]:
    """Parts by number: "am ersten Montag im Mai", "le dernier vendredi de mars", "первая неделя мая"."""
    numbers = {**language.ordinals, **dict.fromkeys(language.before_last, -2)}
    names, whats = any_of(numbers), any_of((*language.weekdays, *language.units))
    articles, links = led_by_any(language.articles), led_by_any((*language.links, *language.of, *language.in_month))

    def nth(match: re.Match[str], _: re.Match[str], whole: When) -> Value | None:
        number, what = numbers[match[1]], match[2]
        if isinstance(whole, Open | Range | Weekday | TurnedWeekday):
            return None
        if what in language.weekdays:
            return Nth(number, "day", whole, weekday=language.weekdays[what])
        return Nth(number, language.units[what], whole)

    yield Rule((word(rf"{articles}({names})\s+({whats})"), glue(links + articles), When), nth)


def _beside(language: Vocabulary) -> Iterator[Rule]:
    """Times beside a date: "zwei Tage vor Ostern", "la semaine avant Noël", "am zweiten Montag nach Ostern"."""
    names, whats = any_of(language.ordinals), any_of((*language.weekdays, *language.units))
    articles = led_by_any(language.articles)
    for sides, turn in ((language.before, -1), (language.after, 1)):
        side = any_of(sides)
        yield Rule((word(rf"{_amount(language)}\s+(?:{side})"), When), partial(_shifted, language, turn))
        beside = rf"{articles}(?:(?P<nth>{names})\s+)?(?P<what>{whats})\s+(?:{side})"
        yield Rule((word(beside), When), partial(_nth_beside, language, turn))


def _shifted(language: Vocabulary, turn: int, match: re.Match[str], anchor: When) -> Value | None:
    return None if isinstance(anchor, Open | Range) else Shifted(_length(language, match), turn, anchor)


def _nth_beside(language: Vocabulary, turn: int, match: re.Match[str], anchor: When) -> Value | None:
    if isinstance(anchor, Open | Range):
        return None
    what, weeks = match["what"], abs(language.ordinals.get(match["nth"] or "", 1)) - 1
    if what not in language.weekdays:
        return Beside(language.units[what], turn * (weeks + 1), anchor)
    nearest = Beside("day", turn, anchor, weekday=language.weekdays[what])
    return Shifted(Amount(((weeks, "week"),)), turn, nearest) if weeks else nearest


def _feasts(language: Vocabulary) -> Iterator[Rule]:
    def feast(match: re.Match[str]) -> Value:
        return Holiday(rule=language.feasts[match[1]])

    articles, plain = led_by_any(language.articles), language.feasts.keys() - language.ambiguous
    yield Rule((word(rf"{articles}({any_of(plain)})"),), feast)
    names = any_of(language.feasts.keys() & language.ambiguous)
    yield Rule((word(rf"{articles}({names})"),), feast, is_latent=True)
    yield Rule((word(rf"(?:{any_of(language.feast_leads)})\s+{articles}({names})"),), feast)
    if language.feast_subjects:
        yield Rule((word(rf"{led_by(*language.feast_subjects)}({names})"),), feast)


def _turned_weekday(language: Vocabulary, turn: int, match: re.Match[str]) -> Value:
    return TurnedWeekday(language.weekdays[match[1]], turn, by_week=turn >= 0)


def _seasons(language: Vocabulary) -> Iterator[Rule]:
    names, articles = any_of(language.seasons), led_by_any(language.articles)
    leads = any_of((*language.in_month, *language.in_season))

    def season(match: re.Match[str]) -> Value:
        return Stretch(first_month=language.seasons[match[1]], months=3)

    yield Rule((word(rf"{articles}({names})"),), season, is_latent=True)
    yield Rule((word(rf"(?:{leads})\s+{articles}({names})"),), season)
