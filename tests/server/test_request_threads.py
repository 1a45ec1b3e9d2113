"""Threads that serve several requests in sequence."""

import asyncio
import threading
from contextlib import suppress

import pytest
from asgiref.sync import sync_to_async

from memoryplatform.server import handler
from memoryplatform.server.handler import RequestThread, RequestThreads

get_thread = sync_to_async(threading.current_thread, thread_sensitive=True)


def test_all_steps_of_a_request_have_one_thread_and_the_next_request_has_the_same() -> None:
    threads = RequestThreads()

    async def serve() -> list[threading.Thread]:
        async with threads.take():
            return [await get_thread() for _ in range(3)]

    async def serve_two() -> list[threading.Thread]:
        return [*await serve(), *await serve()]

    assert len(set(asyncio.run(serve_two()))) == 1


def test_requests_at_once_have_threads_of_their_own_and_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "MAX_IDLE_THREADS", 2)
    threads, together = RequestThreads(), threading.Barrier(3)

    async def serve() -> threading.Thread:
        async with threads.take():
            await sync_to_async(together.wait, thread_sensitive=True)(20)
            return await get_thread()

    async def serve_three() -> list[threading.Thread]:
        return await asyncio.gather(*(serve() for _ in range(3)))

    first, second = set(asyncio.run(serve_three())), set(asyncio.run(serve_three()))
    assert len(first) == len(second) == 3
    assert len(first & second) == 2


def test_a_thread_with_abandoned_work_serves_no_other_request() -> None:
    threads, begun, ended = RequestThreads(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        ended.wait(20)

    async def serve_and_leave() -> None:
        async with threads.take():
            await sync_to_async(work, thread_sensitive=True)()

    async def serve() -> threading.Thread:
        async with threads.take():
            return await asyncio.wait_for(get_thread(), 10)

    async def leave_one_and_serve_another() -> bool:
        left = asyncio.create_task(serve_and_leave())
        await asyncio.to_thread(begun.wait, 20)
        left.cancel()
        with suppress(asyncio.CancelledError):
            await left
        return bool(await serve()) and not ended.is_set()

    try:
        assert asyncio.run(leave_one_and_serve_another())
    finally:
        ended.set()


def test_a_thread_keeps_no_finished_call() -> None:
    thread = RequestThread()
    for _ in range(50):
        thread.submit(bytes, 1).result(20)
    thread.shutdown()
    assert thread.is_free()
    assert not thread._unfinished
