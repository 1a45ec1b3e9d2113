"""Keep-alive comments on a silent stream, and the end of the stream when the client disconnects."""

import asyncio
import gc
import threading
import time
from collections.abc import Generator

import pytest

from memoryplatform.server import event_stream
from memoryplatform.server.event_stream import SteppedStream
from tests.clock import holds_to_a_time


def read(pieces: Generator[bytes, None, None]) -> list[bytes]:
    async def gather() -> list[bytes]:
        return [piece async for piece in SteppedStream(pieces, sign_of_life=b"\n")]

    return asyncio.run(gather())


@holds_to_a_time
def test_a_keep_alive_comes_between_lines_and_never_within_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "SECONDS_OF_SILENCE", 0.05)

    def write() -> Generator[bytes, None, None]:
        time.sleep(0.2)
        yield b'{"text": "half'
        time.sleep(0.2)
        yield b' a line"}\n'
        time.sleep(0.2)
        yield b"{}\n"

    sent = read(write())
    begun, ended = sent.index(b'{"text": "half'), sent.index(b' a line"}\n')
    assert (begun > 0, ended - begun, sent[-2]) == (True, 1, b"\n")


def test_a_step_that_fails_after_its_client_left_is_logged_in_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun, left = threading.Event(), threading.Event()
    complaints: list[str] = []

    def write() -> Generator[bytes, None, None]:
        begun.set()
        left.wait(20)
        raise ValueError("Its place was given up.")
        yield b""

    async def read_all(stream: SteppedStream) -> None:
        async for _ in stream:
            pass

    async def leave() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, told: complaints.append(told["message"]))
        stream = SteppedStream(write())
        reading = asyncio.create_task(read_all(stream))
        await asyncio.to_thread(begun.wait, 20)
        reading.cancel()
        await asyncio.wait([reading])
        left.set()
        await asyncio.to_thread(stream._executor.shutdown)
        await asyncio.sleep(0)  # lets the event loop process the end of the step
        gc.collect()

    asyncio.run(leave())
    assert complaints == []
    assert [(record.getMessage(), record.exc_info) for record in caplog.records if "left" in record.message] == [
        ("A stream failed after its client had left, with ValueError: Its place was given up.", None)
    ]
