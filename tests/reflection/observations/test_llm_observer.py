from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from banks.retain.engines.llm.excerpt import CALL_CHARACTERS
from providers.llm.errors import MalformedAnswer
from providers.llm.protocol import ChatMessage, Structured
from providers.usage import Usage
from reflection.observations.llm_observer import SYSTEM, Answer, LLMObserver, Statement
from reflection.observations.types import Dossier, Fact, Observation
from tenants.identifiers import uuid7

FACTS = tuple(
    Fact(uuid7(), text, datetime(2026, 1, day, tzinfo=UTC), proof_count=day)
    for day, text in enumerate(["Ana plays the cello.", "Ana moved to Porto."], 1)
)
KNOWN = (Observation("Ana is a musician.", (uuid7(),)),)


class Model:
    model_id = "scripted"

    def __init__(self, *statements: Statement) -> None:
        self.statements = list(statements)
        self.prompt = ""

    def complete_as(self, _schema: type[Answer], messages: Sequence[ChatMessage], **_: object) -> Structured[Answer]:
        self.prompt = "\n".join(message.content for message in messages)
        return Structured(Answer(statements=self.statements), Usage(calls=1), "", repaired=False)


def observe(model: Model, dossier: Dossier) -> tuple[Observation, ...]:
    return LLMObserver(model).observe(dossier).observations  # type: ignore[arg-type]  # all that it asks for


def test_a_statement_names_the_facts_and_the_former_statements_it_rests_on() -> None:
    model = Model(Statement(text="Ana is a cellist in Porto.", facts=[1, 2], kept=[1]))

    [told] = observe(model, Dossier(uuid7(), "Ana", FACTS, KNOWN))

    assert told.text == "Ana is a cellist in Porto."
    assert told.source_ids == (FACTS[0].id, FACTS[1].id, *KNOWN[0].source_ids)


def test_what_rests_on_nothing_that_was_shown_is_left_out() -> None:
    model = Model(Statement(text="Ana is rich.", facts=[9]), Statement(text="Ana plays.", facts=[1]))

    assert [one.text for one in observe(model, Dossier(uuid7(), "Ana", FACTS))] == ["Ana plays."]


@pytest.mark.parametrize("statements", [[], [Statement(text="Ana is rich.", facts=[9])], [Statement(text="Ana.")]])
def test_an_answer_that_observes_nothing_in_facts_is_none(statements: list[Statement]) -> None:
    with pytest.raises(MalformedAnswer) as failure:
        observe(Model(*statements), Dossier(uuid7(), "Ana", FACTS, KNOWN))
    assert failure.value.usage.calls == 1


def test_without_facts_nobody_is_asked_and_what_is_known_stands() -> None:
    model = Model()
    assert observe(model, Dossier(uuid7(), "Ana", (), KNOWN)) == KNOWN
    assert not model.prompt


def test_more_than_seven_are_too_many() -> None:
    model = Model(*[Statement(text=f"Ana is {number}.", facts=[1]) for number in range(9)])

    assert len(observe(model, Dossier(uuid7(), "Ana", FACTS))) == 7


def test_the_prompt_has_dates_and_proofs_and_no_disposition() -> None:
    model = Model(Statement(text="Ana lives.", facts=[1]))

    observe(model, Dossier(uuid7(), "Ana", FACTS, KNOWN))

    assert "Fact 2 (Friday, 02 January 2026, told 2 times)\n| Ana moved to Porto." in model.prompt
    assert "Statement 1\n| Ana is a musician." in model.prompt
    assert not any(word in model.prompt for word in ("skeptic", "empath", "literal", "disposition", "You are Ada"))


def test_what_is_so_only_from_a_day_to_come_is_shown_with_that_day() -> None:
    model = Model(Statement(text="Ana lives.", facts=[1]))
    begins = datetime(2027, 6, 1, tzinfo=UTC)

    observe(model, Dossier(uuid7(), "Ana", (FACTS[0], replace(FACTS[1], begins=begins))))

    assert "Fact 1 (Thursday, 01 January 2026)\n" in model.prompt
    assert "(Friday, 02 January 2026, told 2 times, so only from Tuesday, 01 June 2027)\n" in model.prompt


@pytest.mark.parametrize("count", [6, LLMObserver.facts_at_once])
@pytest.mark.parametrize("text", ["Ana walked on and on. " * 4_300, "\n" * 95_000 + "!", "\u6771" * 95_000])
def test_a_call_stays_bounded_however_long_the_facts_are(text: str, count: int) -> None:
    model = Model(Statement(text="Ana lives.", facts=[1]))
    facts = tuple(Fact(uuid7(), text, datetime(2026, 1, 1, tzinfo=UTC)) for _ in range(count))

    observe(model, Dossier(uuid7(), "Ana", facts, (Observation(text, (uuid7(),)),) * 7))

    assert len(model.prompt) < CALL_CHARACTERS + len(SYSTEM) + 500
    assert f"Fact {count} (" in model.prompt


def test_short_facts_stay_whole_beside_long_ones() -> None:
    model = Model(Statement(text="Ana lives.", facts=[1]))
    short = [f"Ana has {number} boats{' and more' * 20}." for number in range(60)]
    texts = [*short, *["Ana walked on and on. " * 4_300] * 20]
    facts = tuple(Fact(uuid7(), text, datetime(2026, 1, 1, tzinfo=UTC)) for text in texts)

    observe(model, Dossier(uuid7(), "Ana", facts))

    assert all(f"\n| {text}\n" in model.prompt for text in short)
    assert model.prompt.count("on and \u2026") + model.prompt.count("on \u2026") >= 1
