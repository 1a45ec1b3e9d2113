"""A row of numbers from 0 to 1 as a row of bars."""

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"
LONGEST = 40


def draw(values: Sequence[float]) -> str:
    """The scale is always 0 to 1, so that two lines can be compared. A long line shows only the newest values."""
    return "".join(BARS[min(len(BARS) - 1, int(max(0.0, value) * len(BARS)))] for value in values[-LONGEST:])
