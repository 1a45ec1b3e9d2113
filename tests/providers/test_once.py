import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from providers.once import Once


def test_threads_that_ask_together_share_one_load() -> None:
    loads: list[int] = []

    def load() -> object:
        time.sleep(0.05)
        loads.append(1)
        return object()

    once = Once(load)
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: once.get(), range(8)))
    assert len(loads) == 1
    assert len(set(map(id, values))) == 1


def test_none_is_a_value_too() -> None:
    loads: list[int] = []
    once = Once(lambda: loads.append(1))
    assert (once.get(), once.get(), loads) == (None, None, [1])


def test_the_state_follows_the_load() -> None:
    outcomes: list[Exception | str] = [KeyError("weights"), "value"]

    def load() -> str:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    once = Once(load)
    assert once.state == "not loaded"
    with pytest.raises(KeyError):
        once.get()
    assert once.state == "failed: KeyError"
    assert once.get() == "value"
    assert once.state == "loaded"
    once.reset()
    assert once.state == "not loaded"


def test_the_state_can_be_read_during_a_load() -> None:
    states: list[str] = []
    once: Once[None] = Once(lambda: states.append(once.state))
    once.get()
    assert states == ["not loaded"]
