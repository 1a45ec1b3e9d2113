"""A bank changes its embedding model while it is read and written."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from django.db import connections
from django.test import override_settings

from banks import embedding_change
from banks.errors import EmbeddingChangeState, EmbeddingModelChanged
from banks.lifecycle.editing import UnitEdit
from banks.locking import lock_memory
from banks.models import Chunk, Corpus, Entity, Episode, MemoryUnit, Relationship
from banks.retain.input import GivenMessage, RetainItem
from banks.vector_index.index import VectorIndex, drop_indexes, read_state
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.embedding_model import get_state, request_act, request_change
from memoryplatform.operations.banks.legal_hold import set_hold
from memoryplatform.operations.banks.profile import BankChange, create_bank
from memoryplatform.operations.memories.single import edit_memory
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.transfer.receive import import_part
from providers import registry
from providers.embedding.protocol import MEMORY_EMBEDDER, ONNX_MODEL_IDS, EmbeddingBatch
from providers.errors import EmbeddingModelUnavailable
from providers.once import Once
from retrieval import analysis
from retrieval.types import Channel, RecallQuery
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.hashed_embedder import HashedEmbedder
from tests.operations.conftest import reload
from tests.operations.transferred import load, run_waiting, write_out

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
TEXTS = ("I play the cello in Porto.", "I work at Globex as a baker.", "My sister Lena keeps bees.")
TABLES = (MemoryUnit, Chunk, Episode, Relationship, Entity)


class Watched(HashedEmbedder):
    """Calls `watch` before every batch of documents."""

    watch: Callable[[], None] = staticmethod(lambda: None)

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        self.watch()
        return super().embed_documents(texts)


both_dimensions = pytest.mark.parametrize("second", [64, 384], indirect=True, ids=["another", "the same"])


@pytest.fixture
def second(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return offer(monkeypatch, Watched("second", getattr(request, "param", 64)))


def offer(monkeypatch: pytest.MonkeyPatch, embedder: Watched) -> Watched:
    monkeypatch.setattr(analysis, "QUERY_VECTORS", analysis.QueryVectors())  # of an embedder with the same label
    monkeypatch.setattr(registry, "OTHER_EMBEDDERS", Once(lambda: {embedder.model_id: Once(lambda: embedder)}))
    return embedder


@pytest.fixture
def access(tenant: Tenant) -> Iterator[BankAccess]:
    access = BankAccess(tenant.id)
    for text in TEXTS:
        say(access, text)
    run_waiting(access)
    yield access
    drop_indexes(load(access, "support").id)


def say(access: BankAccess, text: str, bank_id: str = "support") -> Operation:
    message = GivenMessage("user", text, NOON, name="Ana")
    done = retain(access, bank_id, [RetainItem(NOON, messages=(message,), thread=text)], wait=True)
    assert done.status == "completed", done.error_detail
    return done


def do(operation: Operation) -> Any:
    perform(operation.tenant_id, operation.id)
    return reload(operation)


def change(access: BankAccess, **fields: Any) -> Any:
    return do(request_change(access, "support", "second", **fields))


def act(access: BankAccess, name: str) -> Any:
    return do(request_act(access, "support", name))


def list_vectors(access: BankAccess, column: str, *, of: tuple[Any, ...] = TABLES) -> dict[Any, Any]:
    bank = load(access, "support")
    with tenant_transaction(access.tenant_id):
        rows = [row for table in of for row in table.objects.for_tenant(access.tenant_id).filter(bank=bank)]
    return {row.id: getattr(row, column) for row in rows if getattr(row, column) is not None}


def find(access: BankAccess, text: str) -> tuple[list[str], bool]:
    """The texts that recall finds, and whether the vectors took part."""
    result = recall(access, ["support"], RecallQuery(text=text, asked_at=NOON, fills=True)).result
    by_meaning = any(Channel.SEMANTIC in item.scores.places for item in result.items)
    return [item.candidate.text for item in result.items], by_meaning


def state_of(access: BankAccess) -> tuple[str, str, str]:
    bank = load(access, "support")
    return bank.vector_change, bank.embedding_model, bank.other_embedding_model


@both_dimensions
def test_it_fills_compares_switches_rolls_back_and_finishes(access: BankAccess, second: Watched) -> None:
    before = find(access, "Where do I work?")
    done = change(access)
    assert (done.status, done.result["state"], done.result["sample"]) == ("completed", "ready", len(TEXTS))
    assert 0.0 <= done.result["overlap"] <= 1.0
    assert find(access, "Where do I work?") == before
    assert list_vectors(access, "second_embedding").keys() == list_vectors(access, "embedding").keys()
    assert {len(one) for one in list_vectors(access, "second_embedding").values()} == {second.dimension}
    assert act(access, "switch").result == {"state": "switched", "model": "second"}
    assert state_of(access) == ("switched", "second", ONNX_MODEL_IDS[MEMORY_EMBEDDER])
    assert find(access, f"Ana: {TEXTS[1]}")[1]
    assert act(access, "rollback").result["model"] == ONNX_MODEL_IDS[MEMORY_EMBEDDER]
    assert find(access, "Where do I work?") == before
    act(access, "switch")
    assert act(access, "finish").result["deleted_vectors"] >= len(TEXTS)
    assert state_of(access) == ("", "second", "")
    assert list_vectors(access, "embedding") == list_vectors(access, "centroid", of=(Episode,)) == {}
    say(access, "I sold the boat.")
    assert list_vectors(access, "embedding") == {}
    assert find(access, "Ana: I sold the boat.")[1]


def test_recall_and_retain_go_on_while_it_fills(
    access: BankAccess, second: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_change, "BATCH", 1)
    said: list[str] = []

    def use() -> None:
        second.watch = lambda: None
        texts, by_meaning = find(access, "Where do I work?")
        assert by_meaning
        assert any(TEXTS[1] in text for text in texts)
        if len(said) < 2:
            said.append(f"I bought kayak {len(said)}.")
            say(access, said[-1])
            new = {text.removeprefix("Ana: ") for text in second.seen[before:]}
            assert said[-1] in new
            assert len(new & set(TEXTS)) < len(TEXTS)  # the rest is left to the operation
        second.watch = use

    second.watch, before = use, len(second.seen)
    assert change(access).result["state"] == "ready"
    assert len(said) == 2
    assert list_vectors(access, "second_embedding").keys() == list_vectors(access, "embedding").keys()


def test_a_crash_in_the_middle_loses_nothing(
    access: BankAccess, second: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_change, "BATCH", 1)
    calls: list[int] = []

    def crash() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("The worker died.")

    second.watch = crash
    operation = do(request_change(access, "support", "second"))
    assert (operation.status, len(list_vectors(access, "second_embedding"))) == ("pending", 2)
    with tenant_transaction(access.tenant_id):
        Operation.objects.for_tenant(access.tenant_id).filter(id=operation.id).update(next_attempt_at=None)
    assert do(operation).result["state"] == "ready"
    assert len(second.seen) == len(list_vectors(access, "embedding"))  # nothing was embedded twice
    with tenant_transaction(access.tenant_id):
        spent = UsageRecord.objects.for_tenant(access.tenant_id).filter(operation_id=operation.id)
        assert sum(row.calls for row in spent) > 0


def test_an_edit_and_a_writer_from_before_the_change_are_in_both_columns(access: BankAccess, second: Watched) -> None:
    early = load(access, "support")
    change(access)
    unit = next(iter(list_vectors(access, "embedding", of=(MemoryUnit,))))
    edit_memory(access, "support", unit, UnitEdit(text="I play the harp."), expected=None)
    both = [list_vectors(access, column, of=(MemoryUnit,))[unit] for column in ("embedding", "second_embedding")]
    assert np.allclose(both[1], second.embed_documents([second.seen[-1]]).vectors[0], atol=1e-5)
    assert "harp" in second.seen[-1]
    with tenant_transaction(access.tenant_id):
        lock_memory(early)
    assert early.vector_change == "ready"


def test_a_text_that_changes_while_it_is_embedded_keeps_no_stale_vector(access: BankAccess, second: Watched) -> None:
    unit = next(iter(list_vectors(access, "embedding", of=(MemoryUnit,))))

    def edit() -> None:
        second.watch = lambda: None
        edit_memory(access, "support", unit, UnitEdit(text="I play the harp."), expected=None)

    second.watch = edit
    change(access)
    act(access, "switch")
    stored = list_vectors(access, "second_embedding", of=(MemoryUnit,))[unit]
    with tenant_transaction(access.tenant_id):
        text = MemoryUnit.objects.for_tenant(access.tenant_id).get(id=unit).rendered_text
    assert "harp" in text
    assert np.allclose(stored, HashedEmbedder(dimension=second.dimension).embed_query(text).vector, atol=1e-5)


@both_dimensions
def test_a_switch_while_others_retain(access: BankAccess, second: Watched) -> None:
    change(access)

    def write(number: int) -> None:
        try:
            for part in range(3):
                say(access, f"I own boat {number} of harbour {part}.")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        writing = [pool.submit(write, number) for number in range(2)]
        assert act(access, "switch").result["state"] == "switched"
        for one in writing:
            one.result()
    run_waiting(access)
    bank = load(access, "support")
    assert list_vectors(access, "second_embedding").keys() == list_vectors(access, "embedding").keys()
    assert {len(one) for one in list_vectors(access, bank.vector_column).values()} == {second.dimension}
    assert {len(one) for one in list_vectors(access, "embedding").values()} == {384}


@both_dimensions
def test_vectors_of_a_model_that_the_bank_no_longer_has_are_refused(access: BankAccess, second: Watched) -> None:
    early = load(access, "support")
    change(access, switch="auto")
    with tenant_transaction(access.tenant_id):
        lock_memory(early)  # its column is kept
    act(access, "finish")
    with pytest.raises(EmbeddingModelChanged), tenant_transaction(access.tenant_id):
        lock_memory(early)


def test_two_changes_at_once_are_refused(access: BankAccess, second: Watched) -> None:
    operation = request_change(access, "support", "second")
    with pytest.raises(EmbeddingChangeState):
        request_change(access, "support", "second")
    with pytest.raises(EmbeddingChangeState):
        request_act(access, "support", "switch")
    do(operation)
    with pytest.raises(EmbeddingChangeState, match="'ready'"):
        request_change(access, "support", ONNX_MODEL_IDS[MEMORY_EMBEDDER])


def test_a_low_overlap_holds_the_switch_back(
    access: BankAccess, second: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_change, "NEAREST", 1)
    compared = {"sample": 3, "overlap": 0.4}
    monkeypatch.setattr("memoryplatform.operations.kinds.change_embedding_model.compare_slots", lambda _bank: compared)
    done = change(access, switch="auto", least_overlap=0.5)
    assert (done.result["state"], done.result["overlap"]) == ("ready", 0.4)
    assert state_of(access)[1] == ONNX_MODEL_IDS[MEMORY_EMBEDDER]
    assert act(access, "abandon").result["state"] == "none"
    assert state_of(access) == ("", ONNX_MODEL_IDS[MEMORY_EMBEDDER], "")
    assert list_vectors(access, "second_embedding") == {}


def test_the_comparison_counts_common_neighbours(access: BankAccess, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        say(access, f"I own boat {number}.")
    offer(monkeypatch, Watched("second", 32))
    noise = change(access).result["overlap"]
    act(access, "abandon")
    again = do(request_change(access, "support", ONNX_MODEL_IDS[MEMORY_EMBEDDER])).result["overlap"]
    assert again == 1.0
    assert noise < 0.95


def test_a_change_that_is_given_up_stops_the_filling(access: BankAccess, second: Watched) -> None:
    def give_up() -> None:
        second.watch = lambda: None
        assert act(access, "abandon").status == "completed"

    second.watch = give_up
    done = change(access)
    assert (done.status, done.error_code) == ("failed", "embedding_change_state")
    assert state_of(access) == ("", ONNX_MODEL_IDS[MEMORY_EMBEDDER], "")
    assert list_vectors(access, "second_embedding") == {}


def test_a_large_bank_has_its_index_before_the_switch(access: BankAccess, second: Watched) -> None:
    bank = load(access, "support")
    with override_settings(VECTOR_INDEX_UNITS=2):
        change(access)
        assert read_state(VectorIndex(bank.id, 1)).is_valid
        assert read_state(VectorIndex(bank.id, 1, Corpus.CHUNK)).is_valid
        act(access, "switch")
        assert find(access, f"Ana: {TEXTS[1]}")[1]
        act(access, "rollback")
        act(access, "abandon")
    assert not read_state(VectorIndex(bank.id, 1)).exists
    assert not read_state(VectorIndex(bank.id, 1, Corpus.CHUNK)).exists


def test_export_and_import_carry_the_vectors_in_use(access: BankAccess, second: Watched) -> None:
    change(access, switch="auto")
    set_hold(access, "support", "A lawsuit.")
    assert act(access, "finish").status == "completed"  # no memory is deleted
    body = write_out(access, "support", vectors=True)
    import_part(access, "copy", body, first_line=1)
    run_waiting(access)
    copied = load(access, "copy")
    assert (copied.embedding_model, copied.vector_slot) == ("second", 0)
    with tenant_transaction(access.tenant_id):
        rows = MemoryUnit.objects.of_bank(copied)
        assert {len(row.embedding) for row in rows} == {64}
        assert rows.count() == len(list_vectors(access, "second_embedding", of=(MemoryUnit,)))


def test_a_deployment_with_another_default_model(
    access: BankAccess, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "EMBEDDER", Once(lambda: HashedEmbedder("second", 64)))
    assert create_bank(access, "new", BankChange()).embedding_model == "second"
    say(access, "The built-in models stay.")
    monkeypatch.setattr(registry, "OTHER_EMBEDDERS", Once(dict))
    with pytest.raises(EmbeddingModelUnavailable):
        say(access, "I bought a red kayak.")
    texts, by_meaning = find(access, "Where do I work?")
    assert (texts != [], by_meaning) == (True, False)
    assert change(access, switch="auto").result["state"] == "switched"
    say(access, "I bought a red kayak.")
    assert find(access, "Ana: I bought a red kayak.")[1]


def test_recall_over_banks_of_two_models_embeds_once_for_each(access: BankAccess, second: Watched) -> None:
    change(access, switch="auto")
    say(access, "I sold the boat.", "other")
    result = recall(access, ["support", "other"], RecallQuery(text="Who has a boat?", asked_at=NOON, fills=True)).result
    assert result.usage.calls >= 2
    assert get_state(access, "other").models == [ONNX_MODEL_IDS[MEMORY_EMBEDDER], "second"]
    assert any(Channel.SEMANTIC in item.scores.places for item in result.items)
