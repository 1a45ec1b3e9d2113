"""A long passage in steps, with what stands between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from banks.entities.resolution.identifier import Identifier
from banks.lifecycle.deciding.rule_judge import RuleJudge
from banks.models import Bank
from banks.retain.engines.protocol import Extraction, ExtractionFailed, KnownFact
from banks.retain.extraction.extract import read_passage
from banks.retain.extraction.passage_steps import cut_passage
from banks.retain.instructions import Instructions
from banks.retain.tools import Tools
from banks.retain.types import Cause, CauseType, ExtractedFact, Passage, Quote, Turn
from banks.words import Mode, Network
from providers.usage import Usage
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
LONG = "".join(f"Ana saw bird number {number}. " for number in range(400))
PASSAGE = Passage(
    turns=(Turn("user", "Ben", "What did you see?", NOON), Turn("user", "Ana", LONG, NOON)),
    before=(Turn("user", "Ben", "Hello!", NOON),),
)
BANK = Bank(name="support")


@dataclass
class QuotingEngine:
    """Two facts a passage, the first caused by the second, with its turns as their quotes."""

    name: str = "quoting"
    judge: RuleJudge = field(default_factory=RuleJudge)
    identifier: Identifier | None = None
    fails_at: int | None = None
    passages: list[Passage] = field(default_factory=list)

    def extract(self, passage: Passage, *, mode: Mode, known: Sequence[KnownFact] = ()) -> Extraction:
        assert (mode, known) == (Mode.NARRATIVE, ())
        self.passages.append(passage)
        if len(self.passages) == self.fails_at:
            raise ExtractionFailed("Could not be read.")
        quotes = tuple(Quote(place, 0, len(turn.text)) for place, turn in enumerate(passage.turns))
        causes = (Cause(1, CauseType.CAUSED_BY),)
        number = len(self.passages)
        return Extraction(
            (
                ExtractedFact(f"first {number}", Network.WORLD, NOON, quotes=quotes, causes=causes),
                ExtractedFact(f"second {number}", Network.WORLD, NOON, quotes=quotes[-1:]),
            ),
            Usage(calls=1),
        )


@dataclass
class Steps:
    seen: list[tuple[str, int, int]] = field(default_factory=list)
    ends_at: int | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.seen.append((stage, done, total))
        if done == self.ends_at:
            raise InterruptedError


def build_tools(engine: QuotingEngine, steps: Steps) -> Tools:
    return Tools(
        engine, WordedEmbedder(), lambda: tenant_transaction(BANK.tenant_id), step=steps, longest_passage=4_000
    )


def test_the_steps_hold_every_character_once_and_begin_with_sentences() -> None:
    steps = cut_passage(PASSAGE, longest=4_000)
    parts = [part for step in steps for part in step.parts]
    assert [part.place for part in steps[0].parts] == [0, 1]  # a question stays with its answer
    assert "".join(part.turn.text for part in parts[1:]) == LONG
    assert all(sum(len(turn.text) for turn in step.passage.turns) <= 4_100 for step in steps)
    assert all(part.turn.text.startswith("Ana saw") for part in parts[1:])
    assert steps[0].passage.before == PASSAGE.before
    assert steps[1].passage.before == steps[0].passage.turns


def test_facts_quote_the_whole_passage_and_causes_find_their_facts() -> None:
    steps = Steps()
    reading = read_passage(BANK, PASSAGE, Instructions(), build_tools(QuotingEngine(), steps))
    spans = [quote for fact in reading.facts[1::2] for quote in fact.quotes]
    assert {quote.turn for quote in spans} == {1}
    assert "".join(LONG[quote.start : quote.end] for quote in spans) == LONG
    assert [fact.causes[0].target for fact in reading.facts[::2]] == list(range(1, len(reading.facts), 2))
    total = len(spans)
    assert steps.seen == [("extracting", done, total) for done in range(1, total)]
    assert (reading.is_done, reading.usage.calls) == (True, total)


def test_a_step_that_can_not_be_read_takes_no_other_with_it() -> None:
    whole = read_passage(BANK, PASSAGE, Instructions(), build_tools(QuotingEngine(), Steps()))
    reading = read_passage(BANK, PASSAGE, Instructions(), build_tools(QuotingEngine(fails_at=2), Steps()))
    assert [fact.text for fact in whole.facts if fact not in reading.facts][:2] == ["first 2", "second 2"]
    assert (len(reading.facts), reading.error, reading.is_done) == (len(whole.facts) - 2, "Could not be read.", True)


def test_work_that_is_to_end_ends_between_two_steps() -> None:
    engine = QuotingEngine()
    with pytest.raises(InterruptedError):
        read_passage(BANK, PASSAGE, Instructions(), build_tools(engine, Steps(ends_at=1)))
    assert len(engine.passages) == 1


def test_a_turn_without_a_place_to_cut_is_cut_all_the_same() -> None:
    passage = Passage(turns=(Turn("user", "Ana", "x" * 10_000, NOON),))
    assert [len(step.passage.turns[0].text) for step in cut_passage(passage, longest=4_000)] == [4_000, 4_000, 2_000]


def test_a_short_passage_is_one_step_as_it_is() -> None:
    (step,) = cut_passage(PASSAGE, longest=100_000)
    assert step.passage == PASSAGE
