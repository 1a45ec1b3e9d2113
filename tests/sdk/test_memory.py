"""`Memory`, in both worlds."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memoryplatform_client import (
    Context,
    Memory,
    MemoryClient,
    Message,
    OperationNotCompleted,
    ProcessProgress,
    ProcessTask,
    WaitTimedOut,
)
from memoryplatform_client.models.recall import RecallItem
from tests.sdk.conftest import Service

PARIS = Message(role="user", name="Alice", content="I live in Paris.", timestamp=datetime(2024, 3, 1, tzinfo=UTC))
LISBON = Message(role="user", name="Alice", content="I live in Lisbon.", timestamp=datetime(2024, 6, 1, tzinfo=UTC))


@pytest.fixture
def memory(service: Service) -> Memory:
    return Memory(service.url, api_key=service.key, bank="alice", thread="t1")


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


def test_what_failed_is_told_and_tried_again(memory: Memory, service: Service, request: pytest.FixtureRequest) -> None:
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


def test_an_operation_that_cannot_be_tried_again_is_told(memory: Memory, service: Service) -> None:
    with memory, MemoryClient(service.url, service.key) as client:
        memory.add_message_sync(PARIS)
        [operation] = client.operations.list(kind="retain")

        def cancel(progress: ProcessProgress) -> None:
            if not progress.is_done:
                client.operations.cancel(operation.operation_id)

        with pytest.raises(OperationNotCompleted, match="cancelled"):
            memory.process_sync(timeout=10, on_progress=cancel)


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
