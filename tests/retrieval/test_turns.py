from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event, Lock, Thread
from time import monotonic, sleep
from uuid import UUID, uuid4

import pytest

from retrieval.errors import Overloaded
from retrieval.recall import RecallTools, recall
from retrieval.turns import Turns
from tests.clock import holds_to_a_time
from tests.retrieval.memory import Memory
from tests.retrieval.test_recall import QUERY

ACME, OTHER, THIRD = uuid4(), uuid4(), uuid4()


class Queue:
    """One occupied place, and callers that wait for it in their order of arrival."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.served: list[UUID] = []
        self._threads: list[Thread] = []
        self._release = Event()
        self._start(self._hold)

    def _start(self, work: object, *arguments: object) -> None:
        thread = Thread(target=work, args=arguments)  # type: ignore[arg-type]  # any function
        thread.start()
        self._threads.append(thread)
        sleep(0.02)

    def _hold(self) -> None:
        with self.turns.take(ACME):
            self._release.wait(5)

    def _serve(self, tenant_id: UUID) -> None:
        with self.turns.take(tenant_id):
            self.served.append(tenant_id)

    def join(self, *tenants: UUID) -> None:
        for tenant_id in tenants:
            self._start(self._serve, tenant_id)

    def release(self) -> list[UUID]:
        self._release.set()
        for thread in self._threads:
            thread.join(5)
        return self.served


def test_tenants_take_turns_however_many_one_of_them_sent() -> None:
    queue = Queue(Turns(1, patience=5))
    queue.join(ACME, ACME, ACME, OTHER, OTHER, THIRD)
    assert queue.release() == [ACME, OTHER, THIRD, ACME, OTHER, ACME]


def test_never_more_at_once_than_there_are_places_and_all_are_served() -> None:
    turns, lock, inside, most = Turns(3, patience=10), Lock(), 0, 0

    def work(number: int) -> int:
        nonlocal inside, most
        with turns.take(ACME if number % 2 else OTHER):
            with lock:
                inside += 1
                most = max(most, inside)
            sleep(0.001)
            with lock:
                inside -= 1
        return number

    with ThreadPoolExecutor(20) as callers:
        assert list(callers.map(work, range(200))) == list(range(200))
    assert most == 3


@holds_to_a_time
def test_a_caller_that_waits_too_long_is_refused_and_leaves_the_queue() -> None:
    turns = Turns(1, patience=0.05)
    with turns.take(ACME):
        started = monotonic()
        with pytest.raises(Overloaded), turns.take(OTHER):
            pytest.fail("there was no place")
        assert monotonic() - started < 2
    with turns.take(OTHER):
        pass


@holds_to_a_time
def test_an_error_gives_the_place_back() -> None:
    turns = Turns(1, patience=0.05)
    with pytest.raises(ZeroDivisionError), turns.take(ACME):
        _ = 1 / 0
    with turns.take(OTHER):
        pass


@holds_to_a_time
def test_a_turn_that_comes_as_the_patience_ends_is_taken_or_goes_on() -> None:
    """A caller that gives up at the moment of its turn must not block the place."""
    turns, barrier = Turns(1, patience=0.001), Barrier(8)

    def hurry(_: int) -> int:
        barrier.wait(5)
        served = 0
        for _ in range(200):
            with suppress(Overloaded), turns.take(ACME):
                sleep(0.0005)
                served += 1
        return served

    with ThreadPoolExecutor(8) as callers:
        assert 0 < sum(callers.map(hurry, range(8))) < 8 * 200
    with turns.take(OTHER):
        pass


@holds_to_a_time
@pytest.mark.django_db
def test_a_recall_waits_for_its_turn_before_its_clock_runs(
    memory: Memory, tools: RecallTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = memory.unit("Alice moved to Lisbon")
    turns = Turns(1, patience=0.05)
    monkeypatch.setattr("retrieval.recall.TURNS", turns)
    with turns.take(OTHER), pytest.raises(Overloaded):
        recall(memory.bank, QUERY, tools)
    assert [item.candidate.id for item in recall(memory.bank, QUERY, tools).items] == [answer.id]
