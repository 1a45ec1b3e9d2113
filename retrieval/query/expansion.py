from collections.abc import Mapping

from banks.dates import TimeWindow, describe_date
from banks.dates.types import Grain

PREPOSITIONS: Mapping[Grain, str] = {"range": "from", "week": "in the", "day": "on", "hour": "on", "minute": "on"}


def write_time_out(text: str, window: TimeWindow | None) -> str:
    """The query with its time written out, as "... in March 2023 (2023-03-01 to 2023-03-31)".

    Memories are stored with their dates: "last spring" meets none of them, "March 2023" does.
    """
    if window is None or (window.start is None and window.end is None):
        return text
    described = describe_date(window.start, window.end, window.grain)
    if window.start is None or window.end is None:
        return f"{text} {described} ({write_days(window)})"
    return f"{text} {PREPOSITIONS.get(window.grain, 'in')} {described} ({write_days(window)})"


def write_days(window: TimeWindow) -> str:
    first = window.start.date().isoformat() if window.start else ""
    last = window.last.date().isoformat() if window.last else ""
    if first and last:
        return first if first == last else f"{first} to {last}"
    return f"from {first}" if first else f"until {last}"
