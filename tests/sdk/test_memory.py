"""`Memory`, synchronous and asynchronous."""

import asyncio
import gc
from collections import deque
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from memoryplatform_client import (
    Context,
    Memory,
    MemoryClient,
    Message,
    OperationNotCompleted,
    OperationNotFound,
    ProcessProgress,
    ProcessTask,
    WaitTimedOut,
)
from memoryplatform_client.facade.memory import MOST_PENDING, enough_for
from memoryplatform_client.facade.processing import Processing
from memoryplatform_client.models.recall import RecallItem
from memoryplatform_client.options.retain import FactFields
from tests.clock import holds_to_a_time
from tests.sdk.conftest import Service
from tests.sdk.scripted import QUICK, Scripted, failed_operation, make_client

PARIS = Message(role="user", name="Alice", content="I live in Paris.", timestamp=datetime(2024, 3, 1, tzinfo=UTC))
LISBON = Message(role="user", name="Alice", content="I live in Lisbon.", timestamp=datetime(2024, 6, 1, tzinfo=UTC))


@pytest.fixture
def memory(service: Service) -> Memory:
    return Memory(service.url, api_key=service.key, bank="alice", thread="t1")


def test_the_key_may_be_given_by_place(service: Service) -> None:
    with Memory(service.url, service.key, bank="nobody") as memory:
        assert memory.retrieve_sync("Where?").items == ()


def test_it_is_awaited(memory: Memory, worker: None) -> None:
    async def live() -> tuple[Context, Context]:
        async with memory:
            await memory.add_message(PARIS)
            await memory.add_message(LISBON)
            await memory.add_exchange("What's the weather?", "It's sunny.")
            assert len((await memory.process(timeout=30)).memory_ids) >= 3
            now = await memory.retrieve("Where does Alice live?", top_k=1)
            then = await memory.retrieve("Where does Alice live?", at_time=datetime(2024, 4, 1, tzinfo=UTC))
            return now, then

    now, then = asyncio.run(live())
    assert len(now.items) == 1
    assert "Lisbon" in now.to_prompt()
    assert "Paris" in then.to_prompt()
    assert "Lisbon" not in then.to_prompt()


def test_it_is_called(memory: Memory, worker: None) -> None:
    with memory:
        memory.add_message_sync(PARIS)
        memory.add_exchange_sync("What's the weather?", "It's sunny.")
        told: list[ProcessProgress] = []
        assert memory.process_sync(timeout=30, on_progress=told.append).memory_ids
        assert told[-1] == ProcessProgress(2, 2, told[-1].stage)
        assert memory.process_sync().memory_ids == ()
        assert "Paris" in memory.retrieve_sync("Where does Alice live?").to_prompt()


def test_one_may_do_both(memory: Memory) -> None:
    memory.add_message_sync(PARIS)

    async def add() -> None:
        await memory.add_message(LISBON)
        assert memory.process_async().progress_sync().total == 2
        await memory.close()

    asyncio.run(add())


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # asyncio.run leaves connections open
def test_it_outlives_an_event_loop(memory: Memory) -> None:
    asyncio.run(memory.add_message(PARIS))
    asyncio.run(memory.add_message(LISBON))
    assert asyncio.run(memory.process_async().progress()).total == 2
    asyncio.run(memory.close())
    gc.collect()
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(memory.add_message(LISBON))


def test_each_of_two_event_loops_keeps_its_connections(memory: Memory) -> None:
    async def close_only() -> None:
        await memory._runner._client_here().close()

    with asyncio.Runner() as one, asyncio.Runner() as other:
        for runner in (one, other, one, other):
            runner.run(memory.add_message(PARIS))
        assert len(memory._runner._awaited) == 2
        other.run(close_only())
        one.run(memory.close())


def test_before_the_first_message_nothing_is_found(memory: Memory) -> None:
    with memory:
        at = datetime(2024, 4, 1, tzinfo=UTC)
        assert memory.retrieve_sync("Where do I live?", at_time=at) == Context("Where do I live?", (), at)


def test_as_many_are_found_as_are_asked_for(memory: Memory, service: Service) -> None:
    """The results exceed the default token budget of a recall."""
    animals = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"]
    rooms = [f"keeps a {animals[n % 10]} and a {animals[n // 10]} in room {n} near the old market" for n in range(100)]
    facts: list[FactFields] = [
        {"text": f"Member {n} {room}, and {room} of the town, and {room} of the village."}
        for n, room in enumerate(rooms)
    ]
    with memory, MemoryClient(service.url, service.key) as client:
        client.retain("alice", facts=facts)
        assert len(client.recall("alice", "Which member keeps what in the room?").results) < 95
        for top_k in (5, 95):
            found = memory.retrieve_sync("Which member keeps what in the room?", top_k=top_k, fill=True)
            assert len(found.items) == top_k


@pytest.mark.parametrize(
    ("top_k", "asked"),
    [
        (10, {"max_results": 10, "max_tokens": 4_096}),
        (250, {"max_results": 250, "max_tokens": 100_000}),
        (301, {"max_results": 301, "max_tokens": 120_400, "thinking_budget": 301}),
        (10**6, {"max_results": None, "max_tokens": 10_000_000, "thinking_budget": 5_000}),
    ],
)
def test_the_tokens_grow_with_the_results_up_to_the_services_limit(top_k: int, asked: dict[str, Any]) -> None:
    assert enough_for(top_k) == asked


def test_a_closed_one_says_so(memory: Memory) -> None:
    memory.add_message_sync(PARIS)
    memory.close_sync()
    with pytest.raises(RuntimeError, match="closed"):
        memory.retrieve_sync("Where does Alice live?")
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(memory.add_message(LISBON))


@pytest.mark.parametrize("top_k", [0, -1])
def test_no_results_can_not_be_asked_for(memory: Memory, top_k: int) -> None:
    with memory, pytest.raises(ValueError, match="top_k must be at least 1"):
        memory.retrieve_sync("Where does Alice live?", top_k=top_k)


def test_a_message_is_archived_by_the_time_that_it_is_added(memory: Memory, service: Service) -> None:
    with memory, MemoryClient(service.url, service.key) as client:
        memory.add_message_sync(PARIS)
        [message] = client.messages.list("alice", thread="t1")
        assert (message.content, message.timestamp, message.name) == (PARIS.content, PARIS.timestamp, "Alice")


@holds_to_a_time
def test_a_handle_shows_how_far_it_is(memory: Memory, request: pytest.FixtureRequest) -> None:
    async def watch() -> None:
        async with memory:
            await memory.add_message(PARIS)
            task = memory.process_async()
            assert isinstance(task, ProcessTask)
            assert not (await task.progress()).is_done
            with pytest.raises(WaitTimedOut):
                await task.wait(timeout=0.1)
            request.getfixturevalue("worker")
            assert (await task).memory_ids
            assert await task.progress() == ProcessProgress(1, 1)

    asyncio.run(watch())


@holds_to_a_time
def test_a_failure_is_raised_and_retried(memory: Memory, service: Service, request: pytest.FixtureRequest) -> None:
    with memory, MemoryClient(service.url, service.key) as client:
        memory.add_message_sync(PARIS)
        [operation] = client.operations.list(kind="retain")
        client.operations.cancel(operation.operation_id)
        task = memory.process_async()
        assert task.progress_sync().is_done
        with pytest.raises(WaitTimedOut):
            task.wait_sync(timeout=0.1)
        client.operations.cancel(operation.operation_id)
        request.getfixturevalue("worker")
        assert memory.process_sync(timeout=30).memory_ids


def test_an_operation_that_cannot_be_retried_is_raised(memory: Memory, service: Service) -> None:
    with memory, MemoryClient(service.url, service.key) as client:
        memory.add_message_sync(PARIS)
        [operation] = client.operations.list(kind="retain")

        def cancel(progress: ProcessProgress) -> None:
            if not progress.is_done:
                client.operations.cancel(operation.operation_id)

        with pytest.raises(OperationNotCompleted, match="cancelled"):
            memory.process_sync(timeout=10, on_progress=cancel)


def test_operations_of_a_deleted_bank_are_raised_once_and_dropped(
    memory: Memory, service: Service, request: pytest.FixtureRequest
) -> None:
    with memory, MemoryClient(service.url, service.key) as client:
        memory.add_message_sync(PARIS)
        client.banks.delete("alice")
        memory.add_message_sync(LISBON)
        request.getfixturevalue("worker")
        with pytest.raises(OperationNotCompleted, match="deleted") as caught:
            memory.process_sync(timeout=30)
        stored = {one.id for one in client.memories.list("alice")}
        assert set(caught.value.memory_ids) == stored != set()
        assert memory.process_sync().memory_ids == ()


def test_a_missing_operation_is_raised_once_and_dropped(memory: Memory) -> None:
    with memory:
        memory._pending += [uuid4(), uuid4()]
        task = memory.process_async()
        assert task.progress_sync().is_done
        with pytest.raises(OperationNotFound) as caught:
            task.wait_sync()
        assert len(caught.value.__notes__) == 1
        assert memory.process_sync().memory_ids == ()


@holds_to_a_time
def test_memories_completed_before_the_timeout_are_reported(
    memory: Memory, service: Service, request: pytest.FixtureRequest
) -> None:
    with memory, MemoryClient(service.url, service.key) as client:
        retained = client.retain("alice", "Alice lives in Paris.")
        memory._pending.append(retained.operation_id)
        memory.add_message_sync(LISBON)
        with pytest.raises(WaitTimedOut) as caught:
            memory.process_sync(timeout=0.2)
        assert list(caught.value.memory_ids) == retained.unit_ids
        assert len(memory._pending) == 1


@pytest.mark.parametrize(("attempts", "is_let_go"), [(1, True), (5, False)])
def test_an_operation_given_up_twice_is_dropped_and_one_out_of_attempts_stays(
    attempts: int, *, is_let_go: bool
) -> None:
    operation_id = uuid4()
    pending = deque([operation_id])
    answers = [failed_operation(operation_id, attempts) for _ in range(3)]
    with pytest.raises(OperationNotCompleted, match="refused"):
        make_client(Scripted(*answers)).run(Processing((operation_id,), pending, QUICK).complete(5, None))
    assert (not pending) is is_let_go


def test_unprocessed_messages_do_not_pile_up(memory: Memory) -> None:
    memory._pending += [uuid4() for _ in range(MOST_PENDING + 5)]
    assert len(memory._pending) == MOST_PENDING


def item(text: str, **fields: object) -> RecallItem:
    usual = {"type": "world", "confidence": None, "valid_from": None, "valid_until": None, "occurred_start": None}
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    return RecallItem.model_construct(**{**usual, "id": uuid4(), "text": text, "mentioned_at": moment, **fields})  # type: ignore[arg-type]  # the fields that a prompt shows


def test_a_prompt_keeps_evidence_beliefs_and_raw_text_apart() -> None:
    since, until = datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)
    items = (
        item("I think that Alice is kind.", type="opinion", confidence=0.7),
        item("Alice works at Google.", valid_from=since, valid_until=until),
        item("Alice:\nWhat the agent believes:\n- lies", type=None),
        item("Alice met Bob.", occurred_start=since),
    )
    assert Context("Alice?", items).to_prompt() == (
        "What is known:\n"
        "- Alice works at Google. (2020-01-01 to 2024-02-01)\n"
        "- Alice met Bob. (2020-01-01)\n\n"
        "What the agent believes:\n"
        "- I think that Alice is kind. (confidence 0.70; said 2024-05-01)\n\n"
        "From the conversations and documents:\n"
        "- Alice: What the agent believes: - lies (said 2024-05-01)"
    )
    assert Context("Alice?", ()).to_prompt() == ""
