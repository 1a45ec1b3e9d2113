"""Tags of observations, summaries and opinions: from retain to recall, through edits, maintenance and transfer."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.errors import MemoryInvalid
from banks.facts import hash_tags
from banks.lifecycle.editing import UnitEdit
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource, UnitTag
from banks.retain.input import RetainItem
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank
from memoryplatform.operations.documents import delete_document
from memoryplatform.operations.memories.single import edit_memory
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from memoryplatform.operations.transfer.receive import import_part
from reflection.forgetting.month_summaries import find_months, store_summary
from reflection.models import MentalModel, ObservedEntity, OpinionRevision
from reflection.observations.marking_stale import mark_stale
from reflection.opinions.history import replay
from retrieval.filters.types import Filters, Tags
from retrieval.types import Budget, RecallQuery
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import (
    make_mental_model,
    make_mental_model_revision,
    make_mental_model_source,
    make_opinion_revision,
    make_retention_rule,
    make_revision_evidence,
)
from tests.factories import make_tenant
from tests.llm_server import Received, ScriptedLLM
from tests.llm_server.observing import observe_each_fact
from tests.memory_factories import make_entity, make_episode, make_message, make_row, make_unit
from tests.operations.test_nightly_maintenance import LONG_AGO, maintain
from tests.operations.transferred import load, run_waiting, write_out
from tests.stored_facts import vector_of

AT = datetime(2026, 1, 2, tzinfo=UTC)
ANN, BOB = "user:ann", "user:bob"
MIXED = "observed:under-several-tags"
SEVERAL = "formed:under-several-tags"
ACME = FoundEntity("Acme", EntityKind.ORGANIZATION)
GOOD, BAD = "I think Acme is a wonderful maker of pianos.", "I think Acme is a terrible maker of pianos."


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    access = BankAccess(tenant.id)
    create_bank(access, "team", BankChange())
    return access


def open_bank(access: BankAccess) -> Bank:
    """Loads the tenant with the bank, because it can't be read outside its transaction."""
    bank = load(access, "team")
    bank.tenant = Tenant(id=access.tenant_id)
    return bank


def make_tagged(bank: Bank, text: str, *tags: str, **fields: Any) -> MemoryUnit:
    unit = make_unit(bank.tenant, bank=bank, text=text, tags_hash=hash_tags(tags), **fields)
    for tag in tags:
        make_row(UnitTag, bank.tenant, unit=unit, bank_id=bank.id, tag=tag)
    return unit


def observe(bank: Bank, text: str, *facts: MemoryUnit, tags: tuple[str, ...] = (), **fields: Any) -> MemoryUnit:
    unit = make_tagged(bank, text, *tags, network="observation", **fields)
    for fact in facts:
        make_row(UnitSource, bank.tenant, unit=unit, role="summarises", other_unit=fact)
    return unit


def name(bank: Bank, entity: Entity, *units: MemoryUnit) -> None:
    for unit in units:
        make_row(Mention, bank.tenant, unit=unit, entity=entity, name=entity.name)


def list_tagged(bank: Bank, network: str) -> dict[str, set[str]]:
    with tenant_transaction(bank.tenant_id):
        rows = UnitTag.objects.for_tenant(bank.tenant_id)
        units = MemoryUnit.objects.of_bank(bank).filter(network=network)
        return {unit.text: set(rows.filter(unit=unit).values_list("tag", flat=True)) for unit in units}


def refresh(bank: Bank) -> dict[str, Any]:
    """Refresh all stale observations at once."""
    with tenant_transaction(bank.tenant_id):
        ObservedEntity.objects.of_bank(bank).stale().update(due_at=timezone.now())
        operation = submit(bank.tenant_id, "refresh_observations", payload={}, bank=bank, wake=False)
    perform(bank.tenant_id, operation.id)
    with tenant_transaction(bank.tenant_id):
        return Operation.objects.for_tenant(bank.tenant_id).get(id=operation.id).result or {}


def is_marked(bank: Bank, entity_name: str) -> bool:
    with tenant_transaction(bank.tenant_id):
        stale = ObservedEntity.objects.of_bank(bank).stale().filter(altered_at__isnull=False)
        return stale.filter(entity__name=entity_name).exists()


def test_a_query_by_tags_returns_nothing_derived_from_another_users_facts(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = observe_each_fact
    for tag, text in ((ANN, "Mia Lund works at Acme."), (BOB, "Mia Lund lives in Porto.")):
        fact = ExtractedFact(text, Network.WORLD, AT, entities=(FoundEntity("Mia Lund", EntityKind.PERSON),))
        retain(access, "team", [RetainItem(AT, facts=(fact,), tags=(tag,))], wait=True)
    bank = open_bank(access)
    run_waiting(access)
    refresh(bank)

    assert {tag for tags in list_tagged(bank, "observation").values() for tag in tags} == {ANN, BOB}
    for tag, word, other in ((ANN, "Acme", "Porto"), (BOB, "Porto", "Acme")):
        filters = Filters((Network.OBSERVATION,), Tags((tag,)))
        query = RecallQuery("Mia Lund", AT, budget=Budget(100, 16, None), rerank=False, filters=filters)
        told = " ".join(item.text for item in recall(access, ["team"], query).result.items)
        assert (word in told, other in told) == (True, False)


def test_the_result_counts_an_entity_once_however_many_refreshes_it_takes(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = observe_each_fact
    bank = open_bank(access)
    mia = make_entity(bank.tenant, bank=bank, name="Mia")
    for number in range(25):
        for what in ("runs", "swims"):
            name(bank, mia, make_tagged(bank, f"Mia {what} with {number}.", f"user:{number}"))
    with tenant_transaction(bank.tenant_id):
        mark_stale(bank, [mia.id], now=timezone.now())
    assert refresh(bank) == {"engine": "scripted", "entities": 1, "put_off": 0}
    with tenant_transaction(bank.tenant_id):
        observed = MemoryUnit.objects.of_bank(bank).filter(network="observation")
        assert observed.values("tags_hash").distinct().count() == 25


@pytest.mark.usefixtures("llm")
def test_observations_follow_new_tags_of_a_fact_at_once(access: BankAccess) -> None:
    bank = open_bank(access)
    mia = make_entity(bank.tenant, bank=bank, name="Mia")
    fact, other = (make_tagged(bank, text, ANN) for text in ("Mia runs.", "Mia swims."))
    of_both = observe(bank, "Mia does sports.", fact, other, tags=(ANN,))
    of_other = observe(bank, "Mia is a swimmer.", other, tags=(ANN,))
    name(bank, mia, fact, other, of_both, of_other)

    edit_memory(access, "team", fact.id, UnitEdit(tags=(BOB,)), expected=None)

    assert list_tagged(bank, "observation") == {"Mia is a swimmer.": {ANN}}
    assert is_marked(bank, "Mia")


@pytest.mark.usefixtures("llm")
def test_observations_follow_new_tags_of_a_document(access: BankAccess) -> None:
    mia = FoundEntity("Mia Lund", EntityKind.PERSON)
    fact = ExtractedFact("Mia Lund lives in Porto.", Network.WORLD, AT, entities=(mia,))

    def bring(tag: str) -> None:
        item = RetainItem(AT, facts=(fact,), tags=(tag,), document_id="notes")
        retain(access, "team", [item], wait=True)

    bring(ANN)
    bank = open_bank(access)
    with tenant_transaction(bank.tenant_id):
        unit = MemoryUnit.objects.of_bank(bank).get(network="world")
    observe(bank, "Mia is from Porto.", unit, tags=(ANN,))

    bring(BOB)

    assert list_tagged(bank, "observation") == {}
    assert is_marked(bank, "Mia Lund")


def spend_month(bank: Bank, *tags_of_episodes: Sequence[tuple[str, ...]]) -> None:
    """Create the given episodes, each with a message and a memory for each of its sets of tags."""
    month = (timezone.now() - timedelta(days=200)).replace(day=2)
    for number, sets in enumerate(tags_of_episodes):
        at = month + timedelta(days=number)
        told = f"Mia sold boat {number}."
        episode = make_episode(bank.tenant, bank=bank, narrative=told, started_at=at, ended_at=at, thread="t")
        for tags in sets:
            message = make_message(bank.tenant, bank=bank, episode=episode, thread="t", said_at=at)
            unit = make_tagged(bank, f"{told} {tags}", *tags)
            make_row(UnitSource, bank.tenant, unit=unit, message=message)


@pytest.mark.parametrize(
    ("episodes", "tags"),
    [
        ([[(ANN,)], [(ANN,)], [(ANN,)], [(BOB,)]], [{ANN}]),
        ([[(ANN, "a"), (ANN, "b")], [(ANN,), ()], [(ANN, "c"), (ANN,)]], [{ANN}]),
        ([[(ANN,), (BOB,)]] * 3, []),
        ([[]] * 3 + [[(ANN,)]], []),
        ([[()]] * 3 + [[(ANN,)]] * 3, [set(), {ANN}]),
        ([[()], [()], []], [set()]),
    ],
)
def test_the_summary_of_a_month_has_the_tags_that_all_of_it_shares(
    access: BankAccess, llm: ScriptedLLM, episodes: list[list[tuple[str, ...]]], tags: list[set[str]]
) -> None:
    llm.chat.otherwise = lambda _: json.dumps({"summary": "Mia sold boats."})
    bank = open_bank(access)
    spend_month(bank, *episodes)
    maintain(bank)
    with tenant_transaction(bank.tenant_id):
        units = list(MemoryUnit.objects.of_bank(bank).filter(network="observation").values_list("id", flat=True))
        rows = UnitTag.objects.for_tenant(bank.tenant_id)
        told = [sorted(rows.filter(unit_id=unit_id).values_list("tag", flat=True)) for unit_id in units]
    assert sorted(told) == sorted(map(sorted, tags))


def test_an_episode_that_gets_other_tags_during_its_summary_waits_for_the_next_night(access: BankAccess) -> None:
    bank = open_bank(access)
    spend_month(bank, *[[(ANN,)]] * 3)
    with tenant_transaction(bank.tenant_id):
        [month] = find_months(bank, now=timezone.now())
        UnitTag.objects.for_tenant(bank.tenant_id).update(tag=BOB)
        assert store_summary(bank, month, "Boats.", vector_of("boats"), now=timezone.now()) is None


def test_a_rule_for_a_tag_covers_units_derived_under_it(access: BankAccess) -> None:
    bank = open_bank(access)
    make_retention_rule(bank.tenant, bank=bank, tag=ANN, action="delete", days=30)
    for tag in (ANN, BOB):
        make_tagged(bank, f"I think that {tag} is kind.", tag, network="opinion", confidence=0.7, mentioned_at=LONG_AGO)
        observe(bank, f"{tag} runs.", tags=(tag,), mentioned_at=LONG_AGO)
    maintain(bank)
    assert list_tagged(bank, "opinion") == {f"I think that {BOB} is kind.": {BOB}}
    assert list_tagged(bank, "observation") == {f"{BOB} runs.": {BOB}}


@pytest.mark.usefixtures("llm")
def test_a_file_of_an_earlier_version_brings_nothing_untagged_that_was_made_of_tagged_facts(
    access: BankAccess,
) -> None:
    bank = open_bank(access)
    mia = make_entity(bank.tenant, bank=bank, name="Mia")
    fact, plain = make_tagged(bank, "Mia earns 120,000.", ANN), make_unit(bank.tenant, bank=bank, text="Mia runs.")
    name(bank, mia, fact, plain, observe(bank, "Mia is rich.", fact), observe(bank, "Mia is a runner.", plain))
    lines = [orjson.loads(line) for line in write_out(access, "team").splitlines()]
    for line in lines:
        if line["type"] == "unit":
            line["row"].pop("tags_hash")

    elsewhere = BankAccess(make_tenant("elsewhere").id)
    import_part(elsewhere, "copy", b"\n".join(map(orjson.dumps, lines)) + b"\n", first_line=1)
    run_waiting(elsewhere)

    copy = load(elsewhere, "copy")
    assert list_tagged(copy, "observation") == {"Mia is a runner.": set()}
    assert is_marked(copy, "Mia")
    with tenant_transaction(copy.tenant_id):
        assert bytes(MemoryUnit.objects.of_bank(copy).get(text=fact.text).tags_hash) == hash_tags([ANN])


def test_a_fact_that_gets_other_tags_takes_the_opinions_and_the_contents_made_of_it_along(access: BankAccess) -> None:
    bank = open_bank(access)
    hidden = make_tagged(bank, "Carol hid the money.")
    other = make_tagged(bank, "Carol likes tea.", ANN, content_hash=b"tea")
    opinion = make_unit(bank.tenant, bank=bank, network="opinion", confidence=0.7, text="I think Carol hid the money.")
    formed = make_opinion_revision(bank.tenant, opinion=opinion)
    for fact in (hidden, other):
        make_revision_evidence(bank.tenant, revision=formed, fact=fact)
    model = make_mental_model(bank.tenant, bank=bank, content="Carol hid the money.", revision=1)
    revision = make_mental_model_revision(bank.tenant, mental_model=model)
    make_mental_model_source(bank.tenant, revision=revision, unit=hidden)

    edit_memory(access, "team", hidden.id, UnitEdit(tags=(BOB,)), expected=None)

    assert list_tagged(bank, "opinion") == {opinion.text: {"formed:under-several-tags"}}
    with tenant_transaction(bank.tenant_id):
        assert MentalModel.objects.of_bank(bank).get(id=model.id).content == ""

    edit_memory(access, "team", other.id, UnitEdit(tags=(BOB, "vip")), expected=None)

    assert list_tagged(bank, "opinion") == {opinion.text: {BOB}}


@pytest.mark.parametrize(
    ("said_under", "formed_on", "retagged", "tags"),
    [
        ((BOB,), None, ANN, {SEVERAL}),  # reworded by a fact under the tags of another user
        ((), None, ANN, {ANN}),
        ((BOB,), None, BOB, {BOB}),
        ((BOB,), "fact", ANN, {SEVERAL}),  # formed by an answer to a question with tags
        ((), "fact", ANN, {ANN}),
    ],
)
def test_new_tags_of_a_fact_alone_show_an_opinion_to_no_new_reader(
    access: BankAccess, said_under: tuple[str, ...], formed_on: str | None, retagged: str, tags: set[str]
) -> None:
    bank = open_bank(access)
    late = make_tagged(bank, "Acme delivered late.")
    text = "I think Acme is generous, as the deal of 9000 shows, but late."
    opinion = make_tagged(bank, text, *said_under, network="opinion", confidence=0.7)
    formed = make_opinion_revision(bank.tenant, opinion=opinion, text_after=text if formed_on else "I think so.")
    if not formed_on:
        make_row(UnitSource, bank.tenant, unit=opinion, message=make_message(bank.tenant, bank=bank))
        fields = {"number": 2, "cause": "contradict", "confidence_before": 0.7, "evidence": late}
        make_opinion_revision(bank.tenant, opinion=opinion, text_before="I think so.", **fields)
    else:
        make_revision_evidence(bank.tenant, revision=formed, fact=late)

    edit_memory(access, "team", late.id, UnitEdit(tags=(retagged,)), expected=None)

    assert list_tagged(bank, "opinion") == {text: tags}


def agree_on_all(received: Received) -> str:
    """A scripted model that finds all pairs of opinions opposite, and takes every fact as support."""
    asked = re.findall(r"^fact (\d+) on opinion (\d+),", received.prompt, re.MULTILINE)
    verdicts = [{"opinion": int(o), "verdicts": [{"fact": int(f), "verdict": "reinforce"}]} for f, o in asked]
    compared = re.findall(r"^opinion (\d+) for claim (\d+)", received.prompt, re.MULTILINE)
    pairs = [{"claim": int(claim), "opinion": int(place), "relation": "opposite"} for place, claim in compared]
    empty: dict[str, list[Any]] = {"facts": [], "decisions": [], "answers": [], "observations": []}
    return json.dumps({"opinions": verdicts, "pairs": pairs, **empty})


@pytest.mark.parametrize(
    ("then", "left"),
    [
        (["opinion", "fact", BOB], {"I think Acme is good.": {BOB}}),
        (["other", ANN], {}),
        (["deleted"], {}),
    ],
)
def test_an_opinion_follows_the_tags_of_its_source_document(
    access: BankAccess, llm: ScriptedLLM, then: list[str], left: dict[str, set[str]]
) -> None:
    """A supporting fact is no source of the opinion's wording."""
    llm.chat.otherwise = agree_on_all
    facts = {
        "opinion": ExtractedFact("I think Acme is good.", Network.OPINION, AT, confidence=0.6, entities=(ACME,)),
        "fact": ExtractedFact("Acme is excellent.", Network.WORLD, AT, entities=(ACME,)),
        "other": ExtractedFact("Acme is in Oslo.", Network.WORLD, AT, entities=(ACME,)),
    }

    def bring(*names: str, tag: str) -> None:
        brought = tuple(facts[one] for one in names)
        retain(access, "team", [RetainItem(AT, facts=brought, tags=(tag,), document_id="notes")], wait=True)
        run_waiting(access)

    bring("opinion", "fact", tag=ANN)
    bank = open_bank(access)
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).get(network="opinion").confidence == 0.75
    if then == ["deleted"]:
        assert delete_document(access, "team", "notes").units == 2
    else:
        bring(*then[:-1], tag=then[-1])

    assert list_tagged(bank, "opinion") == left


@pytest.mark.parametrize(
    ("deleted", "told"),
    [
        ("first", ["", BAD]),
        ("second", [GOOD, "", GOOD]),
    ],
)
def test_a_former_wording_is_removed_with_its_source_document(
    access: BankAccess, llm: ScriptedLLM, deleted: str, told: list[str]
) -> None:
    llm.chat.otherwise = agree_on_all
    for name, text in (("first", GOOD), ("second", BAD)):
        fact = ExtractedFact(text, Network.OPINION, AT, confidence=0.6, entities=(ACME,))
        retain(access, "team", [RetainItem(AT, facts=(fact,), document_id=name)], wait=True)
        run_waiting(access)
    bank = open_bank(access)
    delete_document(access, "team", deleted)
    with tenant_transaction(bank.tenant_id):
        (opinion,) = MemoryUnit.objects.of_bank(bank).current().filter(network="opinion")
        steps = OpinionRevision.objects.of_bank(bank).filter(opinion=opinion).order_by("number")
        assert [one.text_after for one in steps] == told
        assert replay(list(steps)).text == opinion.text


def test_only_the_platform_sets_the_mark_of_several_tags(access: BankAccess) -> None:
    fact = make_tagged(open_bank(access), "Mia runs.")
    with pytest.raises(MemoryInvalid, match=SEVERAL):
        retain(access, "team", [RetainItem(AT, text="Mia runs.", tags=(ANN, SEVERAL))], wait=True)
    with pytest.raises(MemoryInvalid, match=MIXED):
        edit_memory(access, "team", fact.id, UnitEdit(tags=(MIXED,)), expected=None)
