import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from memoryplatform.embedded.processes import MARK, stop_marked, stop_servers_in

Script = Callable[..., "subprocess.Popen[str]"]

NAP = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {NAP}"


def wait_until_up(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"


def test_web_and_workers_of_this_folder_are_stopped_and_of_others_not(tmp_path: Path, run_script: Script) -> None:
    ours = run_script(NAP, extra={MARK: str(tmp_path)})
    others = [run_script(NAP, extra={MARK: f"{tmp_path}-other"}), run_script(NAP)]
    for process in (ours, *others):
        wait_until_up(process)

    stop_marked(tmp_path)

    assert not psutil.pid_exists(ours.pid)
    assert [other.poll() for other in others] == [None, None]


def test_the_asking_process_itself_is_spared(tmp_path: Path, run_script: Script) -> None:
    script = (
        "import sys; from pathlib import Path; from memoryplatform.embedded.processes import stop_marked\n"
        "stop_marked(Path(sys.argv[1])); print('alive')"
    )

    output, _ = run_script(script, str(tmp_path), extra={MARK: str(tmp_path)}).communicate()

    assert output == "alive\n"


def test_a_server_is_known_by_its_program_and_its_folder(tmp_path: Path, run_script: Script) -> None:
    (tmp_path / "other").mkdir()
    ours, elsewhere = run_script(NAP, cwd=tmp_path), run_script(NAP, cwd=tmp_path / "other")
    program = psutil.Process(ours.pid).name()
    for process in (ours, elsewhere):
        wait_until_up(process)

    stop_servers_in(tmp_path, "another program", [signal.SIGINT])
    assert ours.poll() is None

    stop_servers_in(tmp_path, program, [signal.SIGINT])
    assert not psutil.pid_exists(ours.pid)
    assert elsewhere.poll() is None


def test_one_that_does_not_listen_is_killed(
    tmp_path: Path, run_script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryplatform.embedded.processes.GRACE_SECONDS", 0.2)
    stubborn = run_script(STUBBORN, extra={MARK: str(tmp_path)})
    wait_until_up(stubborn)

    stop_marked(tmp_path)

    assert not psutil.pid_exists(stubborn.pid)
