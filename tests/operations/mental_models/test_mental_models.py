"""Mental models: written in the background, refreshed with new facts, and emptied when their facts are deleted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from banks.lifecycle.closing_by_hand import Invalidation
from banks.models import Bank, MemoryUnit, UnitSource
from banks.retain.post_retain import PostRetain
from memoryplatform.operations import reflect as reflecting
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.consolidate import submit_consolidation
from memoryplatform.operations.memories.single import delete_memory, invalidate_memory, restore_memory
from memoryplatform.operations.mental_models import (
    MentalModelChange,
    change_model,
    clear_model,
    create_model,
    delete_model,
    follow_facts,
    refresh_model,
    show_models,
)
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import REFRESH_MENTAL_MODEL
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit_for_later
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from reflection.models import MentalModel, MentalModelRevision, MentalModelSource
from reflection.reflect.reflect import reflect
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_observed_entity
from tests.llm_server import ScriptedLLM
from tests.memory_factories import make_row
from tests.reflection.reflect.answers import write
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory

QUESTION = MentalModelChange(name="Homes", source_query="Where does Alice live, Lisbon?")
FOLLOWING = {"refresh_after_consolidation": True, "budget": "low"}


@pytest.fixture
def model(llm: ScriptedLLM, small_models: None, monkeypatch: pytest.MonkeyPatch) -> ScriptedLLM:
    """The scripted server resets the registry, so the small models are set again."""
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    return llm


def create(access: BankAccess, key: str = "homes", **fields: object) -> MentalModel:
    change = MentalModelChange(**{**QUESTION.given(), "trigger": {"budget": "low"}, **fields})
    shown, _ = create_model(access, "support", key, change)
    return shown.model


def work_off(tenant: Tenant) -> list[Operation]:
    """Perform all waiting refreshes, also those that are not due yet."""
    with tenant_transaction(tenant.id):
        waiting = list(
            Operation.objects.for_tenant(tenant.id).filter(kind=REFRESH_MENTAL_MODEL, status="pending").order_by("id")
        )
    for operation in waiting:
        perform(tenant.id, operation.id)
    with tenant_transaction(tenant.id):
        done = Operation.objects.for_tenant(tenant.id).filter(id__in=[one.id for one in waiting])
        return list(done.order_by("id"))


def find_waiting(tenant: Tenant) -> list[Operation]:
    with tenant_transaction(tenant.id):
        return list(Operation.objects.for_tenant(tenant.id).filter(kind=REFRESH_MENTAL_MODEL, status="pending"))


def read(model: MentalModel) -> MentalModel:
    with tenant_transaction(model.tenant_id):
        return MentalModel.objects.for_tenant(model.tenant_id).get(id=model.id)


def contents(model: MentalModel) -> list[str]:
    with tenant_transaction(model.tenant_id):
        rows = MentalModelRevision.objects.of_model(model).order_by("number")
        return [one.content for one in rows]


def list_seen(model: MentalModel) -> set[str]:
    """The last words of the memories in the prompt of its content."""
    with tenant_transaction(model.tenant_id):
        rows = MentalModelSource.objects.for_tenant(model.tenant_id).filter(revision__number=read(model).revision)
        seen = rows.filter(revision__mental_model=model, unit__isnull=False).values_list("unit__text", flat=True)
        return {text.split()[-1] for text in seen}


def is_stale(bank: Bank, model: MentalModel) -> bool:
    with tenant_transaction(bank.tenant_id):
        return show_models(bank, [read(model)])[0].is_stale


def test_without_a_language_model_the_content_is_sentences_of_memory(
    tenant: Tenant, memory: Memory, access: BankAccess
) -> None:
    fact = memory.unit("Alice does live in Lisbon")
    model = create(access)
    (operation,) = work_off(tenant)
    assert operation.result == {
        "mental_model_id": "homes",
        "outcome": "content_written",
        "revision": 1,
        "engine": "builtin",
    }
    written = read(model)
    assert "Lisbon" in written.content
    assert (written.revision, written.seen_until, written.failed_at) == (1, fact.recorded_at, None)
    assert contents(model) == [written.content]


def test_a_language_model_writes_it_and_forms_no_opinion(
    tenant: Tenant, memory: Memory, access: BankAccess, model: ScriptedLLM
) -> None:
    fact = memory.unit("Alice does live in Lisbon")
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    kept = create(access, trigger={"budget": "low", "response_schema": schema}, max_tokens=300)
    model.chat.say(write("In Lisbon [1].", in_memory=True, structured_output={"city": "Lis\x00bon"}))
    work_off(tenant)
    assert read(kept).content == "In Lisbon [1]."
    prompt = model.chat.received[-1].prompt
    assert "at most 300 tokens" in prompt
    assert "Leave the list of opinions empty" in prompt
    with tenant_transaction(tenant.id):
        revision = MentalModelRevision.objects.of_model(kept).get()
        assert (revision.engine, revision.structured) == ("scripted", {"city": "Lisbon"})
        source = MentalModelSource.objects.for_tenant(tenant.id).get()
        assert (source.unit_id, source.is_cited) == (fact.id, True)
        assert UsageRecord.objects.for_tenant(tenant.id).filter(kind="reflect").exists()


def test_each_content_is_kept_and_one_that_is_the_same_is_not_counted_twice(
    tenant: Tenant, memory: Memory, access: BankAccess, model: ScriptedLLM
) -> None:
    memory.unit("Alice does live in Lisbon")
    kept = create(access)
    for text in ("In Lisbon.", "In Lisbon.", "Lisbon, Portugal."):
        model.chat.say(write(text, in_memory=True))
    work_off(tenant)
    refresh_model(access, "support", "homes")
    (unchanged,) = work_off(tenant)
    assert (unchanged.result or {})["outcome"] == "content_unchanged"
    refresh_model(access, "support", "homes")
    work_off(tenant)
    assert contents(kept) == ["In Lisbon.", "Lisbon, Portugal."]
    clear_model(access, "support", "homes")
    assert read(kept).content == ""
    assert contents(kept) == ["In Lisbon.", "Lisbon, Portugal.", ""]


def test_it_sees_memories_with_its_tags_alone(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    memory.unit("Alice does live in Lisbon", tags=["alice"])
    memory.unit("Alice does live in Braga")
    memory.unit("Alice does live in Porto", tags=["alice", "other"])
    kept = create(access, tags=["alice", "other"])
    wide = create(access, "wide", trigger={"budget": "low", "tag_groups": [{"not": {"tags": ["other"]}}]})
    work_off(tenant)
    assert list_seen(kept) == {"Porto"}
    assert list_seen(wide) == {"Lisbon", "Braga"}


def test_only_memories_in_its_scope_make_it_stale(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess
) -> None:
    memory.unit("Alice does live in Lisbon", tags=["alice"])
    trigger = {"budget": "low", "fact_types": ["world"], "tags_match": "any"}
    kept = create(access, tags=["alice"], trigger=trigger)
    assert is_stale(bank, kept)
    work_off(tenant)
    assert not is_stale(bank, kept)
    memory.unit("It rains", recorded_at=timezone.now())
    memory.unit("I met Alice", network="experience", tags=["alice"], recorded_at=timezone.now())
    assert not is_stale(bank, kept)
    memory.unit("Alice moved to Braga", tags=["alice"], recorded_at=timezone.now())
    assert is_stale(bank, kept)


def test_another_question_makes_it_stale_and_another_name_does_not(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess
) -> None:
    memory.unit("Alice does live in Lisbon")
    kept = create(access)
    work_off(tenant)
    change_model(access, "support", "homes", MentalModelChange(name="Where"))
    assert not is_stale(bank, kept)
    change_model(access, "support", "homes", MentalModelChange(source_query="Who lives in Lisbon?"))
    assert is_stale(bank, kept)
    assert read(kept).content
    assert read(kept).trigger["budget"] == "low"


def test_in_delta_mode_nothing_new_leaves_it_as_it_is(tenant: Tenant, memory: Memory, access: BankAccess) -> None:
    memory.unit("Alice does live in Lisbon")
    kept = create(access, trigger={"budget": "low", "mode": "delta"})
    work_off(tenant)
    refresh_model(access, "support", "homes")
    refresh_model(access, "support", "homes", mode="full")
    first, second = [(one.result or {})["outcome"] for one in work_off(tenant)]
    assert (first, second) == ("content_preserved_no_new_facts", "content_unchanged")
    memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    memory.unit("Alice does live in Porto", recorded_at=timezone.now())
    refresh_model(access, "support", "homes")
    (third,) = work_off(tenant)
    assert (third.result or {})["outcome"] == "content_written"
    assert list_seen(kept) == {"Lisbon", "Braga", "Porto"}
    refresh_model(access, "support", "homes", mode="full")
    (fourth,) = work_off(tenant)
    assert (fourth.result or {})["outcome"] == "content_unchanged"


def test_a_mental_model_is_refreshed_after_a_retain(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess
) -> None:
    memory.unit("Alice does live in Lisbon")
    kept, other = create(access, trigger=FOLLOWING), create(access, "other")
    work_off(tenant)
    fact = memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    with tenant_transaction(tenant.id):
        consolidation = submit_consolidation(bank, PostRetain(unit_ids=(fact.id,)))
    assert consolidation is not None
    perform(tenant.id, consolidation.id)
    assert [one.payload["mental_model_id"] for one in find_waiting(tenant)] == [str(kept.id)]
    with tenant_transaction(tenant.id):
        follow_facts(bank, [fact.id])
    assert len(find_waiting(tenant)) == 1  # the waiting refresh covers this change too
    work_off(tenant)
    assert list_seen(kept) == {"Lisbon", "Braga"}
    assert list_seen(other) == {"Lisbon"}


def test_it_waits_for_the_observations_and_for_its_least_interval(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess
) -> None:
    memory.unit("Alice does live in Lisbon")
    create(access, "eager", trigger=FOLLOWING)
    create(access, "calm", trigger={**FOLLOWING, "min_refresh_interval_seconds": 7_200})
    work_off(tenant)
    soon = timezone.now() + timedelta(minutes=10)
    make_observed_entity(tenant, entity=memory.entity("Alice"), stale_since=timezone.now(), due_at=soon)
    memory.unit("Alice does live in Braga", recorded_at=timezone.now())
    with tenant_transaction(tenant.id):
        assert follow_facts(bank) == 2
        due = [Dispatch.objects.get(operation_id=one.id).due_at for one in find_waiting(tenant)]
    first, second = sorted(due)
    assert first == soon
    assert timedelta(minutes=115) < second - timezone.now() <= timedelta(minutes=120)


def test_an_automatic_refresh_waits_for_observations(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess
) -> None:
    memory.unit("Alice does live in Lisbon")
    create(access, trigger=FOLLOWING)
    work_off(tenant)
    now = timezone.now()
    make_observed_entity(tenant, entity=memory.entity("Alice"), stale_since=now, due_at=now)
    memory.unit("Alice does live in Braga", recorded_at=now)
    with tenant_transaction(tenant.id):
        observing = submit_for_later(bank, "refresh_observations", payload={}, due_at=now)
        follow_facts(bank)
    (waiting,) = work_off(tenant)
    assert (waiting.status, waiting.error_code) == ("pending", "not_yet")
    refresh_model(access, "support", "homes")
    with tenant_transaction(tenant.id):
        rows = Operation.objects.for_tenant(tenant.id)
        rows.filter(id=waiting.id).update(next_attempt_at=None)
        rows.filter(id=observing.id).update(status="failed")
    assert [one.status for one in work_off(tenant)] == ["completed", "completed"]


def test_a_failure_is_reported_and_stops_only_automatic_refreshes(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess, model: ScriptedLLM
) -> None:
    memory.unit("Alice does live in Lisbon")
    kept = create(access, trigger=FOLLOWING)
    model.chat.fail(401)
    work_off(tenant)
    assert read(kept).failed_at is not None
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).filter(kind=REFRESH_MENTAL_MODEL).update(status="failed")
        assert follow_facts(bank) == 0
    refresh_model(access, "support", "homes")
    model.chat.say(write("In Lisbon.", in_memory=True))
    work_off(tenant)
    assert (read(kept).failed_at, read(kept).content) == (None, "In Lisbon.")


def test_a_deleted_memory_is_gone_from_every_content_that_saw_it(
    tenant: Tenant, memory: Memory, access: BankAccess, model: ScriptedLLM
) -> None:
    secret = memory.unit("Alice does live in Lisbon, the key lies under the mat")
    kept = create(access)
    model.chat.say(write("In Lisbon, under the mat."))  # without a citation
    work_off(tenant)
    stays = memory.unit("Alice does live in Lisbon")
    model.chat.say(write("Lisbon. Mat."))
    refresh_model(access, "support", "homes")
    work_off(tenant)
    delete_memory(access, "support", secret.id)
    assert read(kept).content == ""
    assert contents(kept) == ["", ""]
    model.chat.say(write("In Lisbon."))
    work_off(tenant)
    assert (read(kept).content, contents(kept)) == ("In Lisbon.", ["", "", "In Lisbon."])
    with tenant_transaction(tenant.id):
        withdrawn = MentalModelRevision.objects.of_model(kept).order_by("number")
        assert [one.withdrawn for one in withdrawn] == [True, True, False]
        assert MentalModelSource.objects.for_tenant(tenant.id).get().unit_id == stays.id


@pytest.mark.parametrize("by_retain", [False, True])
def test_a_corrected_fact_is_removed_from_every_content(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess, *, by_retain: bool
) -> None:
    wrong = memory.unit("Alice does live in Lisbon")
    kept = create(access)
    work_off(tenant)
    assert "Lisbon" in read(kept).content
    if by_retain:
        closed = {"expired_at": timezone.now(), "close_reason": "correction"}
        with tenant_transaction(tenant.id):
            MemoryUnit.objects.for_tenant(tenant.id).filter(id=wrong.id).update(**closed)
            consolidation = submit_consolidation(bank, PostRetain(closed_ids=(wrong.id,)))
        assert consolidation is not None
        perform(tenant.id, consolidation.id)
    else:
        invalidate_memory(access, "support", wrong.id, Invalidation("correction"))
    assert (read(kept).content, contents(kept)) == ("", [""])
    work_off(tenant)
    assert "Lisbon" not in read(kept).content


@pytest.mark.parametrize("trigger", [FOLLOWING, {}])
def test_an_ended_fact_makes_the_content_stale_and_triggers_a_refresh(
    tenant: Tenant, bank: Bank, memory: Memory, access: BankAccess, trigger: dict[str, bool]
) -> None:
    former = memory.unit("Alice does live in Lisbon")
    kept = create(access, trigger=trigger)
    work_off(tenant)
    invalidate_memory(access, "support", former.id, Invalidation("update"))
    assert is_stale(bank, kept)
    assert "Lisbon" in read(kept).content
    assert len(find_waiting(tenant)) == bool(trigger)
    refresh_model(access, "support", "homes")
    work_off(tenant)
    assert not is_stale(bank, kept)
    assert "Lisbon" not in read(kept).content
    restore_memory(access, "support", former.id, reason="so again")
    assert len(find_waiting(tenant)) == bool(trigger)


def test_the_sources_of_an_observation_count_as_seen(
    tenant: Tenant, memory: Memory, access: BankAccess, model: ScriptedLLM
) -> None:
    secret = memory.unit("The key lies under the mat")
    other = memory.unit("Nothing of note")
    summary = memory.unit("Alice does live in Lisbon", network="observation")
    for fact in (secret, other):
        make_row(UnitSource, tenant, unit=summary, role="summarises", other_unit=fact)
    kept = create(access, trigger={"budget": "low", "fact_types": ["observation"]})
    model.chat.say(write("In Lisbon [1]."))
    work_off(tenant)
    delete_memory(access, "support", secret.id)
    assert read(kept).content == ""


def test_an_answer_that_saw_a_memory_die_is_not_stored(
    tenant: Tenant, memory: Memory, access: BankAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    fact = memory.unit("Alice does live in Lisbon")
    kept = create(access)

    def forget_then_answer(*given: object) -> object:
        answer = reflect(*given)  # type: ignore[arg-type]
        with tenant_transaction(tenant.id):
            MemoryUnit.objects.for_tenant(tenant.id).filter(id=fact.id).delete()
        return answer

    monkeypatch.setattr(reflecting, "reflect_at_once", forget_then_answer)
    (operation,) = work_off(tenant)
    assert (operation.status, operation.error_code, operation.attempts) == ("pending", "not_yet", 0)
    assert read(kept).revision == 0


def test_a_deleted_model_takes_its_history_along_and_its_refresh_ends(
    tenant: Tenant, memory: Memory, access: BankAccess
) -> None:
    memory.unit("Alice does live in Lisbon")
    create(access)
    work_off(tenant)
    refresh_model(access, "support", "homes")
    delete_model(access, "support", "homes")
    (operation,) = work_off(tenant)
    assert (operation.status, operation.error_code) == ("failed", "mental_model_not_found")
    with tenant_transaction(tenant.id):
        assert not MentalModelRevision.objects.for_tenant(tenant.id).exists()
        assert not MentalModelSource.objects.for_tenant(tenant.id).exists()
