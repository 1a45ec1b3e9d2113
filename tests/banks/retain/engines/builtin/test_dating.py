from datetime import UTC, datetime

from banks.english.edits import apply_edits
from banks.retain.engines.builtin.dating import find_dating

SAID_AT = datetime(2026, 5, 1, 10, tzinfo=UTC)


def test_the_date_in_brackets_stays_in_its_sentence() -> None:
    text = "Sofia leaves at the end of May. The rent is 980 euros."
    dating = find_dating(text, said_at=SAID_AT)
    assert apply_edits(text, dating.edits) == (
        "Sofia leaves at the end of May (Saturday, May 16, 2026 to Sunday, May 31, 2026). The rent is 980 euros."
    )


def test_how_long_something_took_dates_nothing() -> None:
    dating = find_dating("I finished the half marathon in 2 hours and 4 minutes.", said_at=SAID_AT)
    assert (dating.start, dating.edits) == (None, ())
