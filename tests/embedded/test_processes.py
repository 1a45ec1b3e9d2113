import os
import signal
import sys
from pathlib import Path

import pytest

from memoryplatform.embedded.child import Child, Command, discard
from memoryplatform.embedded.errors import Interrupted, StartError
from memoryplatform.embedded.processes import Processes, Stage


class Recorder:
    """A fake process that records the calls."""

    def __init__(self, name: str, log: list[str], *, status: int | None = None, stops_badly: bool = False) -> None:
        self.name = name
        self._log = log
        self._status = status
        self._stops_badly = stops_badly

    def exit_status(self) -> int | None:
        return self._status

    def last_lines(self) -> str:
        return f"last words of {self.name}"

    def ask_to_stop(self) -> None:
        self._log.append(f"ask {self.name}")

    def ensure_stopped(self) -> None:
        self._log.append(f"wait {self.name}")
        if self._stops_badly:
            raise OSError(self.name)

    def restart(self) -> None:
        self._log.append(f"restart {self.name}")


def discard_text(_text: str) -> None:
    """For tests that read no output."""


def command(name: str, *argv: str) -> Command:
    return Command(name=name, argv=(sys.executable, *argv), cwd=Path("/"), environment=dict(os.environ))


def test_stages_stop_in_reverse_whatever_the_order_of_start_and_members_of_one_together() -> None:
    log: list[str] = []
    with Processes() as processes:
        processes.add(Stage.DATABASE, Recorder("postgres", log))
        processes.add(Stage.WEB, Recorder("web", log))
        processes.add(Stage.WORKERS, Recorder("worker-a", log))
        processes.add(Stage.WORKERS, Recorder("worker-b", log))

    assert log[:2] == ["ask web", "wait web"]
    assert log[2:4] == ["ask worker-a", "ask worker-b"]
    assert sorted(log[4:6]) == ["wait worker-a", "wait worker-b"]
    assert log[6:] == ["ask postgres", "wait postgres"]


def test_all_are_stopped_when_a_step_fails_or_one_stops_badly() -> None:
    log: list[str] = []

    def fail_half_way() -> None:
        with Processes() as processes:
            processes.add(Stage.DATABASE, Recorder("postgres", log))
            processes.add(Stage.WEB, Recorder("web", log, stops_badly=True))
            raise StartError("half-way")

    with pytest.raises(OSError, match="web"):
        fail_half_way()
    assert log == ["ask web", "wait web", "ask postgres", "wait postgres"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_waiting(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with Processes() as processes:
        os.kill(os.getpid(), number)
        with pytest.raises(Interrupted):
            processes.supervise(discard_text)

    assert signal.getsignal(number) == before


def test_a_signal_ends_a_command_that_runs_and_the_command_with_it() -> None:
    with Processes() as processes:
        pids: list[str] = []

        def interrupt(_name: str, line: str) -> None:
            pids.append(line)
            os.kill(os.getpid(), signal.SIGINT)

        with pytest.raises(Interrupted):
            processes.run(
                command("migrate", "-c", "import os,time; print(os.getpid(), flush=True); time.sleep(60)"), interrupt
            )

    with pytest.raises(ProcessLookupError):
        os.kill(int(pids[0]), 0)


@pytest.mark.parametrize(("status", "words"), [(3, "status 3"), (-9, "signal SIGKILL"), (0, "status 0")])
def test_a_process_that_ends_during_the_start_is_named_with_its_status(status: int, words: str) -> None:
    with Processes() as processes:
        processes.add(Stage.WORKERS, Recorder("worker-a", []), Recorder("worker-ingest", [], status=status))

        with pytest.raises(StartError, match=rf"(?s)^worker-ingest ended by itself with {words}; .*words of worker-i"):
            processes.wait_until(lambda: False, seconds=1, what="never")


def test_a_command_gives_its_output_and_a_failing_one_its_reason() -> None:
    with Processes() as processes:
        assert processes.run(command("demo", "-c", "print('made')"), discard) == "made"
        with pytest.raises(StartError, match=r"(?s)^migrate failed with status 1; it said:.*no such table"):
            processes.run(command("migrate", "-c", "raise SystemExit('no such table')"), discard)


def test_a_condition_that_is_never_met_ends_in_a_sentence() -> None:
    with Processes() as processes, pytest.raises(StartError, match=r"^web does not answer after 0 s\.$"):
        processes.wait_until(lambda: False, seconds=0.1, what="web does not answer")


def test_real_children_are_gone_afterwards() -> None:
    with Processes() as processes:
        children = [Child(command(f"nap-{n}", "-c", "import time; time.sleep(60)"), discard) for n in range(2)]
        processes.add(Stage.WORKERS, *children)

    assert [child.exit_status() for child in children] == [-signal.SIGTERM, -signal.SIGTERM]
