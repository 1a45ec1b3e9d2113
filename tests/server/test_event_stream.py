"""Signs of life on a stream that is silent for long."""

import asyncio
import time
from collections.abc import Generator

import pytest

from memoryplatform.server import event_stream
from memoryplatform.server.event_stream import SteppedStream


def read(pieces: Generator[bytes, None, None]) -> list[bytes]:
    async def gather() -> list[bytes]:
        return [piece async for piece in SteppedStream(pieces, sign_of_life=b"\n")]

    return asyncio.run(gather())


def test_a_sign_of_life_stands_between_lines_and_never_within_one(monkeypatch: pytest.MonkeyPatch) -> None:
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
