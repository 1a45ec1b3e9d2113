import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from banks.retain.engines.builtin.cutting import cut
from banks.retain.engines.builtin.readable import readable
from banks.words import Mode
from tests.banks.retain.engines.builtin.talk import told
from tests.clock import holds_to_a_time


@pytest.mark.parametrize("mode", [Mode.NARRATIVE, Mode.VERBATIM, Mode.CALIBRATED])
@pytest.mark.parametrize("text", ["", "   \n", "\x00", "?" * 5000, '"[' * 3000, "I " * 3000])
def test_odd_text_is_read_without_an_error(text: str, mode: Mode) -> None:
    facts = told("Tom: I sold the boat in Oslo.", f"Ann: {text}", mode=mode)
    assert facts[0].quotes[0].turn == 0


def test_null_bytes_and_lone_surrogates_do_not_reach_the_fact() -> None:
    (fact,) = told("Ann: I live\x00 in Paris \ud800.")
    assert "\x00" not in fact.text
    fact.text.encode()
    assert readable("a\x00\ud800b") == "a \ufffdb"


def test_right_to_left_text_is_kept() -> None:
    text = "\u0623\u0646\u0627 \u0623\u0639\u064a\u0634 \u0641\u064a \u0628\u0627\u0631\u064a\u0633"
    assert told(f"Ann: {text}")[0].text == f"Ann: {text}"


def test_many_emoji_say_nothing() -> None:
    assert told("Ann: " + "\U0001f600" * 200_000) == ()


@holds_to_a_time
def test_two_megabytes_are_covered_whole_in_linear_time() -> None:
    text = "word " * 400_000
    started = time.monotonic()
    pieces = cut(text)
    assert time.monotonic() - started < 20
    assert sum(piece.end - piece.start for piece in pieces) >= len(text) * 0.99


def test_threads_may_share_the_engine() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda place: told(f"Ann: I met {place} friends in Paris."), range(8)))
    assert [facts[0].text for facts in found] == [f"Ann: Ann met {place} friends in Paris." for place in range(8)]
