"""The bank's own extraction settings, from the prompt to the facts."""

import json
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from banks.enums import EntityKind, Mode
from banks.extraction_settings import ExtractionSettings, Term
from banks.types import ExtractedFact, KnownFact
from tests.banks.retain.llm.factory import SUNDAY, make_engine, make_passage, say_facts
from tests.llm_server import ScriptedLLM

PASSAGE = make_passage("Bolt takes Carprofen since Monday.")
TYPES = (Term("MEDICATION", "A drug."), Term("PET"), Term("PERSON"))
OPEN = ExtractionSettings(entity_types=TYPES)
CLOSED = replace(OPEN, entity_types_closed=True)
SORTED = ExtractionSettings(categories=(Term("health"), Term("Daily life", "Habits.")))


def extract(
    server: ScriptedLLM, settings: ExtractionSettings, mode: Mode = Mode.NARRATIVE, **said: Any
) -> ExtractedFact:
    say_facts(server, {"text": "Bolt takes Carprofen.", "turns": [1], **said})
    passage = replace(PASSAGE, settings=settings)
    (fact,) = make_engine(server).extract(passage, mode=mode).facts
    return fact


@pytest.mark.parametrize("written", ["{} ({})", None])
def test_an_entity_gets_a_type_of_the_bank(llm_server: ScriptedLLM, written: str | None) -> None:
    said = [("Carprofen", "MEDICATION"), ("Bolt", "pet")]
    entities = [written.format(*one) if written else dict(zip(("name", "type"), one, strict=True)) for one in said]
    fact = extract(llm_server, OPEN, entities=entities, relations=["Bolt | takes | Carprofen | |"])
    assert [(one.name, one.kind, one.type) for one in fact.entities] == [
        ("Carprofen", EntityKind.OTHER, "MEDICATION"),
        ("Bolt", EntityKind.OTHER, "PET"),
    ]
    assert not fact.relationships[0].object_is_value


def test_our_kinds_stay_beside_an_open_list(llm_server: ScriptedLLM) -> None:
    fact = extract(llm_server, OPEN, entities=["Bosch (ORGANIZATION)", "Ana (PERSON)", "Mercury (planet)"])
    found = [(one.name, one.kind, one.type) for one in fact.entities]
    assert found == [("Bosch", "ORGANIZATION", ""), ("Ana", "PERSON", "PERSON"), ("Mercury (planet)", "OTHER", "")]


def test_a_closed_list_makes_every_other_entity_other(llm_server: ScriptedLLM) -> None:
    fact = extract(llm_server, CLOSED, entities=["Bosch (ORGANIZATION)", "Ana (PERSON)", "Bolt (PET)"])
    assert [(one.kind, one.type) for one in fact.entities] == [("OTHER", ""), ("PERSON", "PERSON"), ("OTHER", "PET")]


def test_without_types_nothing_changes(llm_server: ScriptedLLM) -> None:
    fact = extract(llm_server, ExtractionSettings(entity_types_closed=True), entities=["Bosch (ORGANIZATION)"])
    assert [(one.kind, one.type, one.is_stated) for one in fact.entities] == [("ORGANIZATION", "", True)]


def test_only_categories_of_the_list_are_kept(llm_server: ScriptedLLM) -> None:
    fact = extract(llm_server, SORTED, categories=["daily life", "HEALTH", "secret", "health"])
    assert fact.categories == ("health", "Daily life")
    assert extract(llm_server, OPEN, categories=["health"]).categories == ()


@pytest.mark.parametrize("mode", [Mode.NARRATIVE, Mode.CALIBRATED])
def test_the_schema_has_categories_only_for_a_bank_with_categories(llm_server: ScriptedLLM, mode: Mode) -> None:
    extract(llm_server, SORTED, mode)
    extract(llm_server, OPEN, mode)
    with_them, without = (
        json.dumps(request["response_format"]) for request in (one.body for one in llm_server.chat.received)
    )
    assert "categories" in with_them
    assert "categories" not in without


def test_the_calibrated_mode_has_the_settings_too(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say(json.dumps({"predictions": []}))
    say_facts(llm_server, {"text": "Bolt takes Carprofen.", "categories": ["health"], "entities": ["Bolt (PET)"]})
    settings = replace(OPEN, retain_mission="The health of pets.", categories=SORTED.categories)
    passage = replace(PASSAGE, settings=settings)
    engine = make_engine(llm_server)
    (fact,) = engine.extract(
        passage, mode=Mode.CALIBRATED, find_known=lambda _texts: [KnownFact(uuid4(), "Bolt is a dog.", SUNDAY)]
    ).facts
    assert (fact.categories, fact.entities[0].type) == (("health",), "PET")
    assert "The health of pets." in llm_server.chat.received[-1].body["messages"][0]["content"]


def test_facts_beside_known_ones_have_categories_too(llm_server: ScriptedLLM) -> None:
    known = KnownFact(uuid4(), "Bolt takes no drug.", SUNDAY)
    say_facts(llm_server, {"text": "Bolt takes Carprofen.", "categories": ["health"], "known": ["ends 1"]})
    extraction = make_engine(llm_server).extract(
        replace(PASSAGE, settings=SORTED), mode=Mode.NARRATIVE, find_known=lambda _texts: [known]
    )
    (fact,) = extraction.facts
    assert (fact.categories, [effect.unit_id for effect in fact.effects]) == (("health",), [known.id])
    schema = json.dumps(llm_server.chat.received[0].body["response_format"])
    assert '"categories"' in schema
    assert '"known"' in schema
