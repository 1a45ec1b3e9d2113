import io
import os
from pathlib import Path

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
