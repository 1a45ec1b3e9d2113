"""A disk that is full, and a clock that jumps. Each needs the whole service on a machine of its own, so CI skips them.

    FAULT_ITEMS=40 pytest tests/faults/test_disk_and_clock.py

The disk is a small tmpfs, which only root may mount. The clock is that of clock.c, which needs a C compiler. It jumps
for the only worker of retains, against those of Postgres and the web. (libfaketime also breaks `time.sleep`.)
"""

import contextlib
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.embedded.conftest import make_place
from tests.embedded.up_process import make_up
from tests.faults.client import BANK, LIMIT_SECONDS, Client
from tests.faults.model import Model
from tests.faults.stack import ITEMS, SEED, Stack, create_bank
from tests.faults.test_faults import IS_LONG, SETTLED_WITHIN, check_copies, check_nothing_waits
from tests.llm_server import ScriptedLLM

DISK_MEGABYTES = 400
COMPILER = shutil.which("cc")
HOUR = 3_600
JUMPS = [3 * HOUR, -3 * HOUR, 48 * HOUR, 0]  # from the true time, in seconds
SECONDS_OF_A_JUMP = 3
long_only = pytest.mark.skipif(not IS_LONG, reason="takes a minute: set FAULT_ITEMS above 20")


@contextmanager
def running(place: Path) -> Iterator[tuple[Stack, Client]]:
    """The service with its data below `place`, and a client with a bank."""
    model = Model(SEED)
    with ScriptedLLM() as llm:
        llm.chat.otherwise = model.answer
        for up in make_up(place):
            stack = Stack(up, model, random.Random(SEED))  # noqa: S311  # repeatable
            client = Client(up.url, stack.start(llm.url), SEED)
            try:
                create_bank(client)
                yield stack, client
            finally:
                stack.stop()


@pytest.fixture
def place() -> Iterator[Path]:
    yield from make_place()


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    disk = place / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m,mode=711", "tmpfs", str(disk)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no file system can be mounted: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """A file that takes what is left of the disk."""
    filler = disk / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(64 * 1024))
    return filler


def check_sound(stack: Stack, client: Client) -> None:
    client.await_ends(seconds=SETTLED_WITHIN)
    with psycopg.connect(stack.database_url(), autocommit=True) as database:
        check_nothing_waits(database)
        check_copies(database, client.parcels)
    assert stack.verify() == {}


@long_only
def test_a_full_disk_refuses_and_loses_nothing(small_disk: Path) -> None:
    with running(small_disk) as (stack, client):
        for _ in range(ITEMS // 4):
            client.act()
        filler = fill(small_disk)
        statuses = [push(client) for _ in range(30)]
        assert set(statuses) <= {0, 200, 202, 503}, statuses
        assert {0, 503} & set(statuses), "the disk was not full"
        filler.unlink()
        for _ in range(ITEMS // 4):
            client.act()
        check_sound(stack, client)


def push(client: Client) -> int:
    """The status of a retain that needs space on the disk; 0 where the connection broke."""
    item = {"content": random.Random(time.monotonic()).randbytes(100_000).hex(), "document_id": "large"}  # noqa: S311
    headers = {"Authorization": f"Bearer {client.key}"}
    body = {"items": [item], "async": True}
    try:
        answer = httpx.post(f"{client.url}{BANK}/memories", json=body, headers=headers, timeout=LIMIT_SECONDS)
    except httpx.TransportError:
        return 0
    assert answer.status_code != 503 or "Retry-After" in answer.headers
    return answer.status_code


@long_only
@pytest.mark.skipif(not COMPILER, reason="there is no C compiler")
def test_a_clock_that_jumps_loses_doubles_and_blocks_nothing(place: Path) -> None:
    clock, library = place / "clock", place / "clock.so"
    clock.write_text("0")
    clock.chmod(0o644)
    source = Path(__file__).with_name("clock.c")
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-O2", "-o", str(library), str(source)], check=True)
    fake = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(clock)}
    with running(place) as (stack, client):
        stack.stop()
        stack.up.environment |= fake
        stack._start_second_worker()
        other = stack.find("worker", "ingest")
        other.suspend()  # so that the worker with the odd clock does the work
        try:
            stack.model.illness = "failing"
            for jump in JUMPS:
                clock.write_text(str(jump))
                for _ in range(ITEMS // len(JUMPS)):
                    client.act()
                time.sleep(SECONDS_OF_A_JUMP)  # some attempts fail, and their next ones are set by this clock
            stack.model.illness = ""
            client.await_ends(seconds=SETTLED_WITHIN)
        finally:
            other.resume()
        check_sound(stack, client)
