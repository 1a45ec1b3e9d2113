"""Dead members are started again with growing waits, until there were too many deaths."""

import pytest

from memoryplatform.embedded import supervision
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.supervision import FORGIVEN_AFTER_SECONDS, Supervisor


class Mortal:
    """A process that a test kills."""

    def __init__(self, name: str = "web") -> None:
        self.name = name
        self.status: int | None = None
        self.starts = 0

    def exit_status(self) -> int | None:
        return self.status

    def last_lines(self) -> str:
        return "no space left on device"

    def ask_to_stop(self) -> None:
        raise AssertionError("nothing asked for a stop")

    def ensure_stopped(self) -> None:
        raise AssertionError("nothing asked for a stop")

    def restart(self) -> None:
        self.starts += 1
        self.status = None


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(supervision, "time", clock)
    return clock


def die_and_return(supervisor: Supervisor, member: Mortal, clock: Clock, *, status: int = -9) -> float:
    """Seconds until the member runs again."""
    member.status = status
    died_at = clock.now
    while member.exit_status() is not None:
        supervisor.look_after(member)
        clock.now += 0.5
    return clock.now - died_at


def test_the_first_restart_comes_at_once_and_later_ones_wait_longer(clock: Clock) -> None:
    said: list[str] = []
    supervisor, web = Supervisor(said.append), Mortal()
    waits = [die_and_return(supervisor, web, clock) for _ in range(5)]
    assert waits == [1.0, 1.5, 2.5, 4.5, 8.5]  # the wait, and the step of the clock
    assert said[0] == "web ended with signal SIGKILL; starting it again."
    assert said[-1] == "web ended with signal SIGKILL; starting it again in 8 s."
    assert web.starts == 5


def test_a_member_that_keeps_dying_ends_the_service_with_its_last_lines(clock: Clock) -> None:
    supervisor, web = Supervisor(lambda _text: None), Mortal()
    for _ in range(5):
        die_and_return(supervisor, web, clock, status=1)
    web.status = 1
    with pytest.raises(StartError, match=r"(?s)^web ended 6 times in a row, at last with status 1; .*no space left"):
        supervisor.look_after(web)


def test_deaths_are_forgiven_after_a_minute_of_running(clock: Clock) -> None:
    supervisor, web = Supervisor(lambda _text: None), Mortal()
    for _ in range(20):
        die_and_return(supervisor, web, clock)
        clock.now += FORGIVEN_AFTER_SECONDS + 1
    assert web.starts == 20


def test_other_members_are_looked_after_while_one_waits(clock: Clock) -> None:
    supervisor, web, redis = Supervisor(lambda _text: None), Mortal(), Mortal("redis")
    for _ in range(4):
        die_and_return(supervisor, web, clock)
    web.status = redis.status = -9
    for _ in range(2):
        supervisor.look_after(web)
        supervisor.look_after(redis)
    assert (web.starts, redis.starts) == (4, 1)
