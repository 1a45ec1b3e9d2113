"""Every prompt, built from a fixed example, is a file in `golden/`: a change of a prompt shows in the review.

`UPDATE_PROMPTS=1 pytest tests/prompts` writes the files again.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest

from banks.entities.resolution.identifier import Choice, NameQuestion
from banks.entities.types import MentionOf
from banks.enums import EntityKind
from banks.extraction_settings import ExtractionSettings, Term
from banks.lifecycle.candidates import KnownUnit
from banks.lifecycle.decisions import LifecycleQuestion
from banks.retain.llm import disambiguation, extraction, lifecycle
from banks.retain.llm.section import Section, build_section
from banks.types import KnownFact, Passage, Turn
from providers.llm.prompting.fence import fence
from providers.llm.protocol import ChatMessage
from providers.reranking import llm as reranking
from reflection import background
from reflection.disposition import Profile
from reflection.forgetting import duplicate_observations, month_summaries
from reflection.observations import llm_observer
from reflection.observations.types import Dossier, Fact, Observation
from reflection.opinions import matching, verdicts
from reflection.opinions.verdicts import NewFact, OpinionQuestion
from reflection.reflect.prompt import build_prompt
from reflection.reflect.standing_answers import write_standing_answers
from reflection.reflect.types import BOUNDS, ReflectQuery, StandingAnswer
from retrieval.query import time_window
from retrieval.types import RecallQuery

GOLDEN = Path(__file__).parent / "golden"
SUNDAY = datetime(2024, 6, 9, 14, 5, tzinfo=timezone(timedelta(hours=2)))
MAY = datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)
TURNS = (
    Turn("user", "Ana", "My roommate moved out on Friday.", SUNDAY),
    Turn("user", "Ben", "Emily? Why?", SUNDAY + timedelta(minutes=1)),
    Turn("assistant", "Atlas", "She told me that she found work in Lisbon.", SUNDAY + timedelta(days=1)),
)
SECTION = build_section(Passage(TURNS, agent_name="Atlas"))
SETTINGS = ExtractionSettings(
    "What tenants need: repairs, visits, payments.",
    "Health, and anything about children.",
    "German",
    (Term("APPLIANCE", "A machine of a flat."), Term("CONTRACT")),
    entity_types_closed=True,
    categories=(Term("repairs", "Damage, and who mends it."), Term("money")),
)
OF_A_BANK = build_section(replace(SECTION.passage, settings=SETTINGS))
KNOWN = ("Emily is Ana's roommate.", "Ana lives in Rome.")
PROFILE = Profile("Atlas", "I help people to plan their journeys.")


def ask(text: str, budget: str) -> ReflectQuery:
    return ReflectQuery(RecallQuery(text, SUNDAY, fills=True), BOUNDS[budget])


def build_lifecycle() -> list[ChatMessage]:
    acme = KnownUnit(
        UUID(int=1), "world", "event", "Ana works at Acme.", b"", SUNDAY, *MAY[:1], occurred_end=MAY[1],
        relations=("Ana | works_at | Acme",),
    )  # fmt: skip
    question = LifecycleQuestion("Ana started at Globex.", SUNDAY, (acme,), relations=("Ana | works_at | Globex",))
    return lifecycle.build_messages([question])


def build_disambiguation() -> list[ChatMessage]:
    choice = Choice(UUID(int=1), "Tom Waits", EntityKind.PERSON, ("Waits",), "Tom Waits is a singer.")
    mention = MentionOf("Tom", EntityKind.PERSON, frozenset(), SUNDAY)
    return disambiguation.build_messages([NameQuestion(mention, "Tom, Leonie's husband, cooked.", (choice,))])


def build_observation() -> list[ChatMessage]:
    facts = (
        Fact(UUID(int=1), "Ana was promoted to head nurse.", SUNDAY, *MAY),
        Fact(UUID(int=2), "Ana and Rui adopted a dog, Bolt.", SUNDAY, proof_count=2),
    )
    dossier = Dossier("Ana", facts, (Observation("Ana works as a nurse in Porto.", (UUID(int=3),)),), fact_count=3)
    return [ChatMessage("system", llm_observer.SYSTEM), ChatMessage("user", llm_observer.build_question([dossier]))]


def build_verdicts() -> list[ChatMessage]:
    fact = NewFact(UUID(int=2), "The build took 20 minutes less.", SUNDAY, SUNDAY)
    question = OpinionQuestion(UUID(int=1), "I think the cache helps.", (fact,), 0.7, "Two builds were faster with it.")
    user = f"{fence('opinions', question.render(1))}\n\n{verdicts.CLOSING}"
    return [ChatMessage("system", verdicts.SYSTEM), ChatMessage("user", user)]


def build_reflect(budget: str) -> list[ChatMessage]:
    context = {"evidence": fence("evidence", ["[1] world; said Sunday, June 9, 2024", "| Emily moved to Lisbon."])}
    return build_prompt(PROFILE, ask("Where does Emily live?", budget), context, delimiter="=== 0123 ===").messages


def only(system: str) -> list[ChatMessage]:
    return [ChatMessage("system", system)]


KNOWN_FACTS = [KnownFact(UUID(int=place), text, SUNDAY) for place, text in enumerate(KNOWN, 1)]
STANDING = StandingAnswer("home", "Ana's home", "Ana lives in Rome with Emily [2].", SUNDAY)
PREDICTIONS = (extraction.Prediction("Emily still lives with Ana.", 0.8),)
PROMPTS = {
    "extract-narrative": extraction.build_narrative_messages(SECTION),
    "extract-narrative-beside-known": extraction.build_narrative_messages(SECTION, KNOWN_FACTS),
    "extract-narrative-with-settings": extraction.build_narrative_messages(OF_A_BANK),
    "extract-prediction": extraction.build_prediction_messages(SECTION, KNOWN),
    "extract-calibrated": extraction.build_calibrated_messages(SECTION, known=KNOWN, predictions=PREDICTIONS),
    "judge-lifecycle": build_lifecycle(),
    "judge-names": build_disambiguation(),
    "judge-verdicts": build_verdicts(),
    "judge-same-opinion": only(matching.SYSTEM),
    "judge-same-observation": only(duplicate_observations.SYSTEM),
    "judge-time-window": time_window.build_messages("What did Ana do last week?", SUNDAY),
    "judge-relevance": reranking.build_messages("Where is Emily?", KNOWN, "Find the place."),
    "observe-entity": build_observation(),
    "observe-month": only(month_summaries.SYSTEM),
    "reflect-low": build_reflect("low"),
    "reflect-mental-models": only(write_standing_answers([STANDING], SUNDAY.tzinfo, max_tokens=400)),
    "reflect-mid": build_reflect("mid"),
    "reflect-background-find": only(background.FIND),
    "reflect-background-merge": only(background.MERGE),
}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_is_as_it_was_reviewed(name: str) -> None:
    written = "".join(f"[{message.role}]\n{message.content}\n\n" for message in PROMPTS[name])
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_PROMPTS"):
        file.write_text(written)
    assert written == file.read_text()


def test_every_file_belongs_to_a_prompt() -> None:
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(PROMPTS)


def test_the_first_message_is_the_same_for_every_question() -> None:
    """Endpoints cache the beginning of a prompt that they have seen before."""
    one, other = (build_prompt(PROFILE, ask(text, "low"), {}, delimiter=text) for text in ("Who?", "Where?"))
    assert one.messages[0] == other.messages[0]
    elsewhere = build_section(Passage(TURNS[:1]))
    assert extraction.build_narrative_messages(elsewhere)[0] == extraction.build_narrative_messages(SECTION)[0]


def test_the_settings_of_a_bank_come_after_the_part_that_all_banks_share() -> None:
    calibrated = partial(extraction.build_calibrated_messages, known=KNOWN, predictions=PREDICTIONS)
    builders: list[Callable[[Section], list[ChatMessage]]] = [extraction.build_narrative_messages, calibrated]
    for build in builders:
        with_settings, without = build(OF_A_BANK)[0].content, build(SECTION)[0].content
        assert with_settings.startswith(without)
        for words in ("repairs, visits", "about children", "German", "APPLIANCE (A machine", "money"):
            assert words in with_settings.removeprefix(without)
