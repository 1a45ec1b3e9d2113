"""A long passage is read in steps, and the caller sees the progress between them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest

from banks.enums import Mode
from banks.retain.llm import engine as llm_engine
from banks.retain.llm.section import build_section, split_section
from banks.types import KnownFact, Passage
from tests.banks.retain.llm.factory import make_engine, make_passage, make_turn
from tests.llm_server import Received, ScriptedLLM

LONG = "".join(f"Ana saw bird number {number}. " for number in range(400))
PASSAGE = make_passage(LONG, before=(make_turn("Hello!"),))


@dataclass
class Steps:
    seen: list[tuple[str, int, int]] = field(default_factory=list)
    ends_at: int | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.seen.append((stage, done, total))
        if done == self.ends_at:
            raise InterruptedError


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_engine, "LONGEST_STEP", 4_000)


def say_two_linked_facts(server: ScriptedLLM, *, refuses: str = "nothing") -> None:
    """The first fact of each call causes the second. A call whose passage contains `refuses` gets no usable answer."""
    numbers = count(1)

    def answer(received: Received) -> str:
        if refuses in received.body["messages"][1]["content"]:
            return "No."
        number = next(numbers)
        second = {"text": f"second {number}", "causes": ["caused_by 1"]}
        return json.dumps({"facts": [{"text": f"first {number}"}, second]})

    server.chat.otherwise = answer


def test_the_steps_hold_every_character_once_and_begin_with_sentences() -> None:
    steps = list(split_section(build_section(PASSAGE), longest=4_000))
    texts = [piece.turn.text for step in steps for piece in step.pieces]
    assert "".join(texts) == LONG
    assert all(len(text) <= 4_000 and text.startswith("Ana saw") for text in texts)
    assert [piece.turn.text for piece in steps[0].before] == ["Hello!"]
    assert texts[0].endswith(steps[1].before[-1].turn.text)


def test_facts_quote_the_whole_passage_and_causes_find_their_facts(llm_server: ScriptedLLM) -> None:
    say_two_linked_facts(llm_server)
    steps = Steps()
    extraction = make_engine(llm_server).extract(PASSAGE, mode=Mode.NARRATIVE, step=steps)
    spans = [quote for fact in extraction.facts[1::2] for quote in fact.quotes]
    assert "".join(LONG[quote.start : quote.end] for quote in spans) == LONG
    assert [fact.causes[0].target for fact in extraction.facts[1::2]] == list(range(0, len(extraction.facts), 2))
    total = len(spans)
    assert total > 2
    assert steps.seen == [("extracting", done, total) for done in range(1, total)]
    assert (extraction.is_done, extraction.usage.calls) == (True, total)


def test_a_step_that_can_not_be_read_takes_no_other_with_it(llm_server: ScriptedLLM) -> None:
    say_two_linked_facts(llm_server, refuses="Ana saw bird number 1.")
    extraction = make_engine(llm_server).extract(PASSAGE, mode=Mode.NARRATIVE)
    read = {quote.start for fact in extraction.facts for quote in fact.quotes}
    assert max(read) > len(LONG) / 2
    assert (len(extraction.errors), extraction.is_done) == (1, True)


def test_a_cancelled_operation_ends_between_two_steps(llm_server: ScriptedLLM) -> None:
    say_two_linked_facts(llm_server)
    with pytest.raises(InterruptedError):
        make_engine(llm_server).extract(PASSAGE, mode=Mode.NARRATIVE, step=Steps(ends_at=1))
    assert len(llm_server.chat.received) == 1


def test_each_step_of_the_calibrated_mode_looks_up_known_facts_of_its_own(llm_server: ScriptedLLM) -> None:
    say_two_linked_facts(llm_server)
    asked: list[str] = []

    def find_known(texts: Sequence[str]) -> tuple[KnownFact, ...]:
        asked.extend(texts)
        return ()

    make_engine(llm_server).extract(PASSAGE, mode=Mode.CALIBRATED, find_known=find_known)
    assert "".join(asked) == LONG


def test_a_turn_without_a_place_to_cut_is_cut_all_the_same() -> None:
    passage = make_passage("x" * 10_000)
    steps = split_section(build_section(passage), longest=4_000)
    assert [len(step.pieces[0].turn.text) for step in steps] == [2_500] * 4


def test_a_short_passage_is_one_step() -> None:
    section = build_section(PASSAGE)
    assert list(split_section(section, longest=100_000)) == [section]


def test_an_empty_passage_costs_nothing(llm_server: ScriptedLLM) -> None:
    extraction = make_engine(llm_server).extract(Passage((make_turn(" "),)), mode=Mode.NARRATIVE)
    assert (extraction.facts, extraction.is_done, extraction.usage.calls) == ((), True, 0)
