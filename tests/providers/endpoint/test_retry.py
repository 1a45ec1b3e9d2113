from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from providers.endpoint.limits import RetryPolicy, parse_retry_after

POLICY = RetryPolicy(max_retries=8, first_seconds=0.5, longest_seconds=30)


def test_the_wait_is_anything_up_to_a_ceiling_that_doubles() -> None:
    for retry, ceiling in enumerate([0.5, 1, 2, 4, 8, 16, 30, 30]):
        waits = [POLICY.find_wait(retry, None) or 0 for _ in range(400)]
        assert 0 <= min(waits) < ceiling * 0.1
        assert ceiling * 0.9 < max(waits) <= ceiling


def test_after_the_last_retry_there_is_no_wait() -> None:
    assert POLICY.find_wait(8, None) is None
    assert RetryPolicy(max_retries=0).find_wait(0, 1.0) is None


def test_the_wait_that_the_endpoint_asks_for_is_respected() -> None:
    waits = [POLICY.find_wait(0, 7.0) or 0 for _ in range(50)]
    assert min(waits) >= 7
    assert max(waits) <= 7.5


def test_a_wait_beyond_the_longest_is_left_to_the_caller() -> None:
    assert POLICY.find_wait(0, 31.0) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), (" 0.25 ", 0.25), ("-1", 0.0), ("", None), ("soon", None), ("inf", None), ("nan", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert parse_retry_after({"retry-after": value}) == seconds


def test_no_retry_after_is_none() -> None:
    assert parse_retry_after({}) is None


@pytest.mark.parametrize("use_gmt", [True, False])
def test_retry_after_as_a_date(*, use_gmt: bool) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=20)
    seconds = parse_retry_after({"retry-after": format_datetime(moment, usegmt=use_gmt)})
    assert seconds is not None
    assert 18 < seconds <= 20


def test_a_date_in_the_past_is_now() -> None:
    assert parse_retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0


def test_a_date_without_a_zone_is_utc() -> None:
    moment = (datetime.now(UTC) + timedelta(seconds=20)).strftime("%a, %d %b %Y %H:%M:%S -0000")
    seconds = parse_retry_after({"retry-after": moment})
    assert seconds is not None
    assert 18 < seconds <= 20
