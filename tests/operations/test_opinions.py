"""Opinions through the real retain: consolidation moves them only if a model is configured."""

import json
import re
from datetime import UTC, datetime
from typing import Any

from banks.enums import EntityKind, Network
from banks.models import Bank, MemoryUnit
from banks.retain.input import GivenMessage, RetainItem
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from reflection.opinions.candidate_pairs import MOST_BY_ENTITY
from reflection.opinions.model_calls import PAIRS_A_CALL
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.llm_server import Received, ScriptedLLM
from tests.reflection.opinions.believing import check_replay, list_causes, read_opinion, read_opinions, read_steps

SAID_AT = datetime(2025, 5, 8, 13, 56, tzinfo=UTC)
BEST = "Python is the best general-purpose language for data science"
ECOSYSTEM = "Python's ecosystem dominates machine learning"
ADOPTION = "Julia and Rust outrun Python and are adopted in more and more domains"
QUALIFIED = "I think Python is good for data science but has trade-offs."


def read_fact(what: str, network: str, **fields: Any) -> dict[str, Any]:
    python = {"name": "Python", "kind": "PRODUCT"}
    return {"what": what, "network": network, "kind": "conversation", "entities": [python], "turns": [1], **fields}


def answer(received: Received) -> str:
    """A scripted model that extracts each text verbatim and gives the verdicts of the paper's section 5.7."""
    if "weigh evidence" not in received.prompt:
        told = next((text for text in (BEST, ECOSYSTEM, ADOPTION) if f"| {text}" in received.prompt), "")
        fact = read_fact(told, "opinion", confidence=0.7) if told == BEST else read_fact(told, "world")
        return json.dumps({"facts": [fact], "decisions": [], "answers": []})
    verdicts: list[dict[str, Any]] = [
        {"opinion": 1, "verdicts": [{"fact": 1, "verdict": word, "reason": reason}], "text": text}
        for fact, word, reason, text in (
            (ECOSYSTEM, "reinforce", "It is used most.", ""),
            (ADOPTION, "contradict", "Others are better at some of it.", QUALIFIED),
        )
        if f"| {fact}" in received.prompt
    ]
    return json.dumps({"opinions": verdicts})


def say(tenant: Tenant, text: str, *, role: Any = "user") -> dict[str, Any]:
    """Retain and consolidate a text, and return the consolidation's result."""
    messages = (GivenMessage(role, f"{text}.", SAID_AT, name="Ana" if role == "user" else ""),)
    item = RetainItem(SAID_AT, messages=messages, thread=text)
    assert retain(BankAccess(tenant.id), "support", [item], wait=True).status == "completed"
    return consolidate(tenant)


def consolidate(tenant: Tenant) -> dict[str, Any]:
    with tenant_transaction(tenant.id):
        operation = Operation.objects.for_tenant(tenant.id).filter(kind="consolidate").latest("id")
    perform(tenant.id, operation.id)
    with tenant_transaction(tenant.id):
        operation = Operation.objects.for_tenant(tenant.id).get(id=operation.id)
    assert operation.status == "completed", operation.error_detail
    return dict(operation.result or {})


def find_bank(tenant: Tenant) -> Bank:
    with tenant_transaction(tenant.id):
        return Bank.objects.for_tenant(tenant.id).get()


def test_the_trajectory_of_the_paper(tenant: Tenant, llm: ScriptedLLM) -> None:
    """Section 5.7: 0.70, 0.85, 0.55 with alpha 0.15: one fact reinforces (+ alpha), one contradicts (- 2 alpha)."""
    llm.chat.otherwise = answer
    assert say(tenant, BEST, role="assistant")["opinions_formed"] == 1
    bank = find_bank(tenant)
    (opinion,) = read_opinions(bank)
    assert (opinion.confidence, list_causes(bank, opinion.id)) == (0.7, ["formed"])
    assert say(tenant, ECOSYSTEM)["opinions_moved"] == 1
    assert read_opinion(bank, opinion.id).confidence == 0.85
    assert say(tenant, ADOPTION)["opinions_moved"] == 1
    now = read_opinion(bank, opinion.id)
    assert (now.confidence, now.text) == (0.55, QUALIFIED)
    steps = read_steps(bank, opinion.id)
    assert [(step.cause, step.actor) for step in steps[1:]] == [("reinforce", "scripted"), ("contradict", "scripted")]
    assert steps[2].reasoning == "Others are better at some of it."
    check_replay(bank, opinion.id)


def test_a_repeated_consolidation_neither_asks_nor_moves_again(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = answer
    say(tenant, BEST, role="assistant")
    say(tenant, ECOSYSTEM)
    asked = len(llm.chat.received)
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id).filter(kind="consolidate")
        payload = rows.latest("id").payload
        bank = Bank.objects.for_tenant(tenant.id).get()
        submit(tenant.id, "consolidate", payload=payload, bank=bank)
    assert consolidate(tenant)["opinions_moved"] == 0
    assert len(llm.chat.received) == asked
    (opinion,) = read_opinions(bank)
    assert opinion.confidence == 0.85


def tell_facts(tenant: Tenant, texts: list[str], network: Network, *, name: str) -> dict[str, Any]:
    retain_facts(tenant, texts, network, name=name)
    return consolidate(tenant)


def retain_facts(tenant: Tenant, texts: list[str], network: Network, *, name: str) -> None:
    confidence = 0.5 if network is Network.OPINION else None
    entity = FoundEntity(name, EntityKind.PRODUCT)
    facts = tuple(ExtractedFact(text, network, SAID_AT, entities=(entity,), confidence=confidence) for text in texts)
    retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, facts=facts)], wait=True)


def weigh_ferries(received: Received) -> str:
    """A scripted model that finds all pairs of opinions unrelated, and gives verdicts on facts about the ferry."""
    if "You compare beliefs" in received.prompt:
        pairs = re.findall(r"^opinion (\d+) for claim (\d+)", received.prompt, re.MULTILINE)
        unrelated = [{"claim": int(claim), "opinion": int(place), "relation": "unrelated"} for place, claim in pairs]
        return json.dumps({"pairs": unrelated})
    if "weigh evidence" not in received.prompt:
        told = re.findall(r"^\| (The Faro ferry.*)$", received.prompt, re.MULTILINE)
        ferry = {"name": "Faro ferry", "kind": "PRODUCT"}
        facts = [read_fact(text, "world", entities=[ferry]) for text in told[:1]]
        return json.dumps({"facts": facts, "decisions": [], "answers": []})
    pairs = re.findall(r"^fact (\d+) on opinion (\d+),.*\n\| (.*)", received.prompt, re.MULTILINE)
    verdicts: list[dict[str, Any]] = [
        {"opinion": int(opinion), "verdicts": [{"fact": int(fact), "verdict": weigh_ferry(text), "reason": "so"}]}
        for fact, opinion, text in pairs
    ]
    merged: dict[int, dict[str, Any]] = {}
    for one in verdicts:
        merged.setdefault(one["opinion"], one | {"verdicts": []})["verdicts"] += one["verdicts"]
    return json.dumps({"opinions": list(merged.values())})


def weigh_ferry(text: str) -> str:
    if "not reliable" in text:
        return "contradict"
    return "reinforce" if "reliable" in text and "failed" not in text else "neutral"


def weigh_all(received: Received) -> str:
    if "weigh evidence" not in received.prompt:
        return json.dumps({"decisions": [], "answers": [], "facts": []})
    pairs = re.findall(r"^fact (\d+) on opinion (\d+),", received.prompt, re.MULTILINE)
    verdicts = [{"opinion": int(o), "verdicts": [{"fact": int(f), "verdict": "neutral"}]} for f, o in pairs]
    return json.dumps({"opinions": verdicts})


def count_weighings(llm: ScriptedLLM) -> int:
    return sum("weigh evidence" in received.prompt for received in llm.chat.received)


def test_the_calls_and_steps_of_many_pairs_are_reported(tenant: Tenant, llm: ScriptedLLM) -> None:
    """Twenty facts and twelve opinions: those that are near, and for each opinion the nearest about its entity."""
    llm.chat.otherwise = weigh_all
    words = [f"word{number * 7919 % 1000}" for number in range(20)]
    tell_facts(tenant, [f"I like {word} best of all." for word in words[:12]], Network.OPINION, name="Python")
    before = count_weighings(llm)
    figures = tell_facts(tenant, [f"The town of {word} was built." for word in words], Network.WORLD, name="Python")
    assert (before, figures["evidence_left_out"]) == (0, 0)
    weighed = figures["evidence_weighed"]
    assert 12 * MOST_BY_ENTITY <= weighed < 240
    assert (figures["evidence_steps"], figures["evidence_calls"]) == (1, count_weighings(llm))
    assert count_weighings(llm) <= 2 * weighed / PAIRS_A_CALL


def test_facts_without_candidates_cost_no_call(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = weigh_all
    tell_facts(tenant, ["I like tea best."], Network.OPINION, name="tea")
    figures = tell_facts(tenant, ["A train left Faro in the night."], Network.WORLD, name="Faro")
    assert (figures["evidence_weighed"], count_weighings(llm)) == (0, 0)


def test_if_a_model_answers_in_prose_nothing_moves_and_the_pairs_are_counted(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda received: "Well." if "weigh evidence" in received.prompt else weigh_all(received)
    tell_facts(tenant, ["I think that the Faro ferry is reliable."], Network.OPINION, name="Faro ferry")
    figures = tell_facts(tenant, ["The Faro ferry was not reliable in August."], Network.WORLD, name="Faro ferry")
    assert (figures["evidence_weighed"], figures["evidence_undecided"], figures["opinions_moved"]) == (1, 1, 0)
    assert figures["evidence_calls"] == count_weighings(llm) == 2
    bank = find_bank(tenant)
    (opinion,) = read_opinions(bank)
    assert (opinion.confidence, list_causes(bank, opinion.id)) == (0.5, ["formed"])


def test_without_a_model_nothing_is_formed_weighed_or_reversed(tenant: Tenant) -> None:
    held = ["I think that the Faro ferry is reliable.", "I think that the Faro ferry is not reliable."]
    tell_facts(tenant, held, Network.OPINION, name="Faro ferry")
    figures = tell_facts(tenant, ["The Faro ferry was not reliable in August."], Network.WORLD, name="Faro ferry")
    assert "opinions_moved" not in figures
    bank = find_bank(tenant)
    assert [(one.text, one.confidence) for one in read_opinions(bank)] == [(text, 0.5) for text in held]
    assert [list_causes(bank, one.id) for one in read_opinions(bank)] == [["formed"], ["formed"]]


def test_a_model_that_finds_two_opposite_reverses_the_held_one(tenant: Tenant, llm: ScriptedLLM) -> None:
    def oppose(received: Received) -> str:
        return weigh_ferries(received).replace("unrelated", "opposite")

    llm.chat.otherwise = oppose
    for text in ("I think that the Faro ferry is reliable.", "I think that the Faro ferry is a disaster."):
        tell_facts(tenant, [text], Network.OPINION, name="Faro ferry")
    bank = find_bank(tenant)
    (opinion,) = read_opinions(bank)
    assert (opinion.text, list_causes(bank, opinion.id)) == (text, ["formed", "revised"])
    check_replay(bank, opinion.id)


def test_a_document_that_is_replaced_takes_its_evidence_back(tenant: Tenant, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = weigh_ferries
    tell_facts(tenant, ["I think that the Faro ferry is reliable."], Network.OPINION, name="Faro ferry")
    entity = FoundEntity("Faro ferry", EntityKind.PRODUCT)
    bank = find_bank(tenant)
    for text in ("The Faro ferry was not reliable in August.", "The Faro ferry is blue."):
        fact = ExtractedFact(text, Network.WORLD, SAID_AT, entities=(entity,))
        item = RetainItem(SAID_AT, facts=(fact,), document_id="log")
        retain(BankAccess(tenant.id), "support", [item], wait=True)
        figures = consolidate(tenant)
    (opinion,) = read_opinions(bank)
    assert (opinion.confidence, figures["opinions_withdrawn"]) == (0.5, 1)
    with tenant_transaction(tenant.id):
        assert not MemoryUnit.objects.of_bank(bank).filter(text__contains="August").exists()
