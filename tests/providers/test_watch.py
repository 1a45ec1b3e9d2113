from collections.abc import Iterator

import pytest

from providers.usage import Usage, watched
from tests.providers.sampled import read_metric


def read_calls(outcome: str) -> float:
    return read_metric("memoryplatform_provider_calls_total", provider="test", kind="kind", outcome=outcome)


def test_a_call_is_counted_and_timed() -> None:
    calls = read_calls("ok")
    timed = read_metric("memoryplatform_provider_seconds_count", provider="test", kind="kind")
    with watched("test", "kind"):
        pass
    assert read_calls("ok") == calls + 1
    assert read_metric("memoryplatform_provider_seconds_count", provider="test", kind="kind") == timed + 1


def test_a_failed_call_is_counted_under_the_class_of_its_error() -> None:
    ok, failed = read_calls("ok"), read_calls("KeyError")
    with pytest.raises(KeyError), watched("test", "kind"):
        raise KeyError
    assert (read_calls("ok"), read_calls("KeyError")) == (ok, failed + 1)


def test_a_stream_that_is_not_read_to_its_end_counts_as_abandoned() -> None:
    abandoned = read_calls("abandoned")

    def stream() -> Iterator[int]:
        with watched("test", "kind"):
            yield from range(10)

    numbers = stream()
    next(numbers)
    del numbers
    assert read_calls("abandoned") == abandoned + 1


def test_tokens_are_counted_by_direction() -> None:
    with watched("test", "kind") as call:
        call.spent(Usage(input_tokens=7, output_tokens=3, calls=1))
    assert read_metric("memoryplatform_provider_tokens_total", provider="test", direction="input") == 7
    assert read_metric("memoryplatform_provider_tokens_total", provider="test", direction="output") == 3
