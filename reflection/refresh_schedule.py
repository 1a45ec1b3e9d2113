"""The schedule of a mental model: cron expressions of five fields, in UTC."""

from collections.abc import Iterable
from datetime import UTC, datetime

from cronsim import CronSim, CronSimError

FIELDS = 5
LONGEST_CRON = 100
EXAMPLE = "Must be a cron expression of five fields in UTC, such as '0 3 * * *'"


def read_cron(text: str) -> str:
    """The expression with single spaces. Raises ValueError with a sentence that names the faulty field."""
    fields = text.split()
    if len(fields) != FIELDS or len(text) > LONGEST_CRON:  # CronSim takes a sixth field, for seconds
        raise ValueError(f"{EXAMPLE}.")
    expression = " ".join(fields)
    try:
        moment = next(CronSim(expression, datetime.now(UTC)), None)
    except CronSimError as fault:
        raise ValueError(f"{EXAMPLE}. {fault}.") from None
    if moment is None:
        raise ValueError("This cron expression never comes true.")
    return expression


def find_next_moment(expressions: Iterable[str | None], after: datetime) -> datetime | None:
    """The first moment after `after` that one of the expressions names."""
    moments = [next(CronSim(one, after.astimezone(UTC)), None) for one in expressions if one]
    return min((moment for moment in moments if moment is not None), default=None)
