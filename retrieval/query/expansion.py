from collections.abc import Mapping

from banks.dates import TimeWindow, describe_date
from banks.dates.types import Grain

PREPOSITIONS: Mapping[Grain, str] = {"range": "from", "week": "in the", "day": "on", "hour": "on", "minute": "on"}
COARSE: frozenset[Grain] = frozenset({"week", "month", "quarter", "year", "decade", "century"})


def write_time_out(text: str, window: TimeWindow | None) -> str:
    """The query with its time written out, as "... in March 2023 (2023-03-01 to 2023-03-31)".

    Memories are stored with their dates: "last spring" meets none of them, "March 2023" does.
    """
    if window is None or (window.start is None and window.end is None):
        return text
    grain = grain_of(window)
    described = describe_date(window.start, window.end, grain)
    if window.start is None or window.end is None:
        return f"{text} {described} ({write_days(window)})"
    return f"{text} {PREPOSITIONS.get(grain, 'in')} {described} ({write_days(window)})"


def grain_of(window: TimeWindow) -> Grain:
    """A single day is written as one: "two weeks ago" was said in weeks, and asks about a day."""
    is_day = window.start and window.last and window.start.date() == window.last.date()
    return "day" if is_day and window.grain in COARSE else window.grain


def write_days(window: TimeWindow) -> str:
    first = window.start.date().isoformat() if window.start else ""
    last = window.last.date().isoformat() if window.last else ""
    if first and last:
        return first if first == last else f"{first} to {last}"
    return f"from {first}" if first else f"until {last}"
