import logging
from datetime import UTC, datetime

import pytest

from timewords import find, find_dates, find_window, with_absolute_dates

SAID_AT = datetime(2026, 8, 12, 14, 30, tzinfo=UTC)
TEXT = "We met Ines yesterday"


@pytest.fixture
def broken_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(find, "parse", fail)


@pytest.mark.usefixtures("broken_rules")
def test_a_rule_that_fails_costs_the_date_and_not_the_text() -> None:
    assert find_dates(TEXT, said_at=SAID_AT) == []
    assert find_window(TEXT, asked_at=SAID_AT) is None
    assert with_absolute_dates(TEXT, said_at=SAID_AT) == TEXT


@pytest.mark.usefixtures("broken_rules")
def test_the_failure_is_logged_without_the_text(caplog: pytest.LogCaptureFixture) -> None:
    find_dates(TEXT, said_at=SAID_AT)
    [record] = caplog.records
    assert (record.levelno, record.exc_info is not None) == (logging.ERROR, True)
    assert "Ines" not in caplog.text
