import io
import os
import time
from pathlib import Path

import pytest

from memoryplatform.embedded import up
from memoryplatform.embedded.console import Console


def test_logs_wait_for_the_banner_and_carry_their_names() -> None:
    out = io.StringIO()
    console = Console(out)
    console.log("web", "started")
    console.say("banner")
    console.stream_logs()
    console.log("postgres", "later")

    banner, *logs = out.getvalue().splitlines()
    assert banner == "banner"
    assert [line.split(" | ") for line in logs] == [["web              ", "started"], ["postgres         ", "later"]]


def test_a_reader_that_is_gone_does_not_end_the_service() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w") as out:
        console = Console(out)
        console.say("into the void")
        console.say("and again")

        assert Path(f"/dev/fd/{out.fileno()}").resolve() == Path("/dev/null")


def test_the_sign_in_is_said_below_the_first_lines_of_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up, "SECONDS_OF_FIRST_LINES", 0.05)
    out = io.StringIO()
    console = Console(out)
    console.stream_logs()
    with up.say_later("the login", console), up.say_later("", console):
        console.log("worker-ingest", "models.ready")
        time.sleep(0.3)
    with up.say_later("too late", console):
        pass
    assert out.getvalue().splitlines() == ["worker-ingest     | models.ready", "the login"]
