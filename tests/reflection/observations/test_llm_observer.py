from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from banks.prompting import CALL_CHARACTERS
from providers.llm.errors import MalformedAnswer
from providers.llm.protocol import ChatMessage, Structured
from providers.usage import Usage
from reflection.observations.llm_observer import SYSTEM, Answer, Change, LLMObserver
from reflection.observations.types import Dossier, Fact, Observation
from tenants.identifiers import uuid7

FACTS = tuple(
    Fact(uuid7(), text, datetime(2026, 1, day, tzinfo=UTC), proof_count=day)
    for day, text in enumerate(["Ana plays the cello.", "Ana moved to Porto."], 1)
)
KNOWN = (Observation("Ana is a musician.", (uuid7(),), uuid7()), Observation("Ana is 30.", (uuid7(),), uuid7()))


class Model:
    model_id = "scripted"

    def __init__(self, *changes: Change) -> None:
        self.changes = list(changes)
        self.prompt = ""

    def complete_as(self, _schema: type[Answer], messages: Sequence[ChatMessage], **_: object) -> Structured[Answer]:
        self.prompt = "\n".join(message.content for message in messages)
        return Structured(Answer(changes=self.changes), Usage(calls=1), "", repaired=False)


def add(text: str, *facts: int) -> Change:
    return Change(action="add", text=text, facts=list(facts))


def observe(model: Model, dossier: Dossier) -> tuple[Observation, ...]:
    return LLMObserver(model).observe(dossier).observations  # type: ignore[arg-type]  # the fake has all that is called


def test_a_new_statement_names_its_facts_and_is_no_stored_memory() -> None:
    told = observe(Model(add("Ana is a cellist in Porto.", 1, 2, 2)), Dossier("Ana", FACTS))

    assert told == (Observation("Ana is a cellist in Porto.", (FACTS[0].id, FACTS[1].id)),)


def test_a_reworded_statement_stays_the_same_memory() -> None:
    change = Change(action="reword", statements=[1], text="Ana is a cellist.", facts=[1])

    [first, second] = observe(Model(change), Dossier("Ana", FACTS, KNOWN))

    assert first == Observation("Ana is a cellist.", (*KNOWN[0].source_ids, FACTS[0].id), KNOWN[0].unit_id)
    assert second == KNOWN[1]


def test_statements_are_united_in_the_first_of_them() -> None:
    change = Change(action="reword", statements=[2, 1], text="Ana is a musician of 30.")

    told = observe(Model(change), Dossier("Ana", FACTS, KNOWN))

    sources = (*KNOWN[1].source_ids, *KNOWN[0].source_ids)
    assert told == (Observation("Ana is a musician of 30.", sources, KNOWN[1].unit_id),)


def test_a_kept_statement_gains_facts_and_an_unnamed_one_stays() -> None:
    change = Change(action="keep", statements=[1], facts=[1])

    told = observe(Model(change), Dossier("Ana", FACTS, KNOWN))

    assert [one.text for one in told] == [one.text for one in KNOWN]
    assert [one.unit_id for one in told] == [one.unit_id for one in KNOWN]
    assert told[0].source_ids == (*KNOWN[0].source_ids, FACTS[0].id)


def test_only_a_named_statement_is_removed() -> None:
    told = observe(Model(Change(action="remove", statements=[1, 9])), Dossier("Ana", FACTS, KNOWN))

    assert told == (KNOWN[1],)


def test_a_text_that_rests_on_nothing_shown_is_left_out() -> None:
    changes = [
        add("Ana is rich.", 9),
        Change(action="reword", statements=[9], text="Ana is poor."),
        Change(action="reword", statements=[1], text=" "),
        add("Ana plays.", 1),
    ]

    told = observe(Model(*changes), Dossier("Ana", FACTS, KNOWN))

    assert [one.text for one in told] == ["Ana is a musician.", "Ana is 30.", "Ana plays."]


@pytest.mark.parametrize("changes", [[], [add("Ana is rich.", 9)], [add("Ana.")]])
def test_an_answer_without_a_statement_is_malformed(changes: list[Change]) -> None:
    with pytest.raises(MalformedAnswer) as failure:
        observe(Model(*changes), Dossier("Ana", FACTS))
    assert failure.value.usage.calls == 1


def test_an_answer_that_removes_every_statement_is_malformed() -> None:
    with pytest.raises(MalformedAnswer):
        observe(Model(Change(action="remove", statements=[1, 2])), Dossier("Ana", FACTS, KNOWN))


def test_a_file_has_at_most_ten_statements() -> None:
    model = Model(*[add(f"Ana is {number}.", 1) for number in range(12)])

    assert len(observe(model, Dossier("Ana", FACTS, KNOWN))) == 10


def test_the_prompt_has_dates_and_proofs_and_no_disposition() -> None:
    model = Model(add("Ana lives.", 1))

    observe(model, Dossier("Ana", FACTS, KNOWN))

    assert "Fact 2 (told Friday, January 2, 2026, told 2 times)\n| Ana moved to Porto." in model.prompt
    assert "Statement 1 (on 1)\n| Ana is a musician." in model.prompt
    assert not any(word in model.prompt for word in ("skeptic", "empath", "literal", "disposition", "You are Ada"))


def test_a_date_is_shown_as_precisely_as_it_is_known() -> None:
    model = Model(add("Ana lives.", 1))
    month = datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)
    day = datetime(2025, 5, 3, tzinfo=UTC), datetime(2025, 5, 4, tzinfo=UTC)
    facts = [
        replace(fact, occurred_start=start, occurred_end=end)
        for fact, (start, end) in zip(FACTS, (month, day), strict=True)
    ]
    observe(model, Dossier("Ana", tuple(facts)))
    assert ", about May 2025)\n" in model.prompt
    assert ", about Saturday, May 3, 2025, told 2 times)\n" in model.prompt


def test_a_fact_that_becomes_true_later_is_shown_with_its_date() -> None:
    model = Model(add("Ana lives.", 1))
    begins = datetime(2027, 6, 1, tzinfo=UTC)

    observe(model, Dossier("Ana", (FACTS[0], replace(FACTS[1], begins=begins))))

    assert "Fact 1 (told Thursday, January 1, 2026)\n" in model.prompt
    assert "(told Friday, January 2, 2026, told 2 times, true only from Tuesday, June 1, 2027)\n" in model.prompt


@pytest.mark.parametrize("count", [6, LLMObserver.facts_at_once])
@pytest.mark.parametrize("text", ["Ana walked on and on. " * 4_300, "\n" * 95_000 + "!", "\u6771" * 95_000])
def test_a_call_stays_bounded_however_long_the_facts_are(text: str, count: int) -> None:
    model = Model(add("Ana lives.", 1))
    facts = tuple(Fact(uuid7(), text, datetime(2026, 1, 1, tzinfo=UTC)) for _ in range(count))

    observe(model, Dossier("Ana", facts, (Observation(text, (uuid7(),)),) * 10))

    assert len(model.prompt) < CALL_CHARACTERS + len(SYSTEM) + 500
    assert f"Fact {count} (" in model.prompt


def test_short_facts_stay_whole_beside_long_ones() -> None:
    model = Model(add("Ana lives.", 1))
    short = [f"Ana has {number} boats{' and more' * 20}." for number in range(60)]
    texts = [*short, *["Ana walked on and on. " * 4_300] * 20]
    facts = tuple(Fact(uuid7(), text, datetime(2026, 1, 1, tzinfo=UTC)) for text in texts)

    observe(model, Dossier("Ana", facts))

    assert all(f"\n| {text}\n" in model.prompt for text in short)
    assert model.prompt.count(" \u2026\n") == 20
