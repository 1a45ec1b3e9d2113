import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from memoryplatform.embedded.child import Child, Command, discard

IGNORES_SIGTERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); "


def python(script: str, *, grace_seconds: float = 5.0) -> Command:
    return Command(
        name="script",
        argv=(sys.executable, "-c", script),
        cwd=Path("/"),
        environment=dict(os.environ),
        grace_seconds=grace_seconds,
    )


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "nothing happened within 10 s"
        time.sleep(0.02)


def stop(child: Child) -> None:
    child.ask_to_stop()
    child.ensure_stopped()


def test_each_line_arrives_under_the_name_of_the_process() -> None:
    lines: list[tuple[str, str]] = []
    child = Child(python("import sys; print('out'); print('err', file=sys.stderr)"), lambda *line: lines.append(line))
    wait_for(lambda: child.exit_status() is not None)

    assert child.last_lines().split() in (["out", "err"], ["err", "out"])
    assert sorted(lines) == [("script", "err"), ("script", "out")]


def test_bytes_that_are_no_text_do_not_end_the_reading() -> None:
    child = Child(python(r"import sys; sys.stdout.buffer.write(b'\xff\n'); print('after')"), discard)
    wait_for(lambda: child.exit_status() is not None)

    assert child.last_lines() == "\ufffd\nafter"


def test_a_child_does_not_hear_the_ctrl_c_of_the_terminal() -> None:
    child = Child(python("import time; time.sleep(60)"), discard)

    assert os.getpgid(child.pid) == child.pid
    assert os.getsid(child.pid) == child.pid
    stop(child)
    assert child.exit_status() == -signal.SIGTERM


def test_a_child_that_ignores_the_request_is_killed_after_the_grace() -> None:
    child = Child(python(f"{IGNORES_SIGTERM} time.sleep(60)", grace_seconds=0.2), discard)
    wait_for(child.last_lines)

    stop(child)

    assert child.exit_status() == -signal.SIGKILL


def test_processes_in_a_childs_session_are_killed_with_it() -> None:
    script = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid, flush=True)"
    child = Child(python(script), discard)
    wait_for(lambda: child.exit_status() is not None)
    wait_for(lambda: child._last_lines)
    grandchild = psutil.Process(int(child._last_lines[0]))
    assert grandchild.is_running()

    stop(child)

    wait_for(lambda: not grandchild.is_running() or grandchild.status() == psutil.STATUS_ZOMBIE)


def test_files_that_a_child_makes_are_private(tmp_path: Path) -> None:
    child = Child(python(f"open('{tmp_path}/made', 'w')"), discard)
    wait_for(lambda: child.exit_status() is not None)

    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next start finds it")
def test_a_child_ends_when_its_parent_is_killed(run_script: Callable[..., "subprocess.Popen[str]"]) -> None:
    parent_script = (
        "import os, sys, time; from pathlib import Path\n"
        "from memoryplatform.embedded.child import Child, Command, discard\n"
        "argv = (sys.executable, '-c', 'import time; time.sleep(60)')\n"
        "print(Child(Command('nap', argv, Path('/'), dict(os.environ)), discard).pid, flush=True)\n"
        "time.sleep(60)"
    )
    parent = run_script(parent_script)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    wait_for(lambda: "time.sleep(60)" in " ".join(child.cmdline()))
    parent.kill()

    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
