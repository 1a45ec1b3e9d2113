"""Faults at random moments of a busy service: nothing accepted is lost or doubled, and nothing stays stuck.

    FAULT_SEED=7 FAULT_ITEMS=200 pytest tests/faults

The seed draws the work, the moment of the fault, and the calls of the model that fail. `FAULT_ITEMS` retains are sent
for each fault.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.embedded.conftest import make_place
from tests.embedded.up_process import make_up
from tests.faults.client import Client, Parcel
from tests.faults.model import Model
from tests.faults.stack import ITEMS, SEED, Stack, create_bank
from tests.llm_server import ScriptedLLM

IS_LONG = ITEMS > 20
CLIENTS = 2
SETTLED_WITHIN = 60 + ITEMS  # seconds

FAULTS: dict[str, Callable[[Stack], None]] = {
    "a killed worker": Stack.kill_worker,
    "a killed web process": Stack.kill_web,
    "a Redis that lost its data": Stack.lose_redis,
    "a Postgres that stops at once": Stack.stop_postgres,
    "a frozen worker": Stack.freeze_worker,
    "a model that fails": lambda stack: stack.fall_ill("failing"),
    "a model that hangs": lambda stack: stack.fall_ill("hanging"),
    "a model that writes garbage": lambda stack: stack.fall_ill("garbage"),
}
UNFINISHED = """
SELECT operation.kind, operation.status, operation.error_code FROM operations_operation AS operation
LEFT JOIN operations_dispatch AS dispatch ON dispatch.operation_id = operation.id
WHERE operation.status IN ('pending', 'processing')
  AND NOT (operation.attempts = 0 AND dispatch.due_at > now() + interval '20 seconds')
"""
COPIES = """
SELECT parcel.word,
       (SELECT count(*) FROM banks_message WHERE strpos(content, parcel.word) > 0),
       (SELECT count(*) FROM banks_document WHERE strpos(text, parcel.word) > 0),
       (SELECT count(*) FROM banks_memoryunit
        WHERE strpos(text, parcel.word) > 0 AND network IN ('world', 'experience'))
FROM unnest(%s::text[]) AS parcel (word)
"""
DOUBLE_ENTITIES = "SELECT lower(name), count(*) FROM banks_entity GROUP BY 1 HAVING count(*) > 1"
DOUBLE_OPINIONS = """
SELECT text FROM banks_memoryunit WHERE network = 'opinion' AND expired_at IS NULL GROUP BY 1 HAVING count(*) > 1
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    yield from make_place()


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(SEED)


@pytest.fixture(scope="module")
def served(place: Path, model: Model) -> Iterator[tuple[Stack, str]]:
    """The running service, and an API key."""
    with ScriptedLLM() as llm:
        llm.chat.otherwise = model.answer
        for up in make_up(place):
            stack = Stack(up, model, random.Random(SEED))  # noqa: S311  # repeatable
            key = stack.start(llm.url)
            try:
                yield stack, key
            finally:
                stack.stop()


@pytest.fixture(scope="module")
def everything() -> list[Parcel]:
    """All that was accepted so far: a later fault must not lose it either."""
    return []


@pytest.mark.parametrize("name", FAULTS)
def test_nothing_is_lost_doubled_or_stuck_after(served: tuple[Stack, str], everything: list[Parcel], name: str) -> None:
    stack, key = served
    chance = random.Random(f"{SEED} {name}")  # noqa: S311  # repeatable
    clients = [Client(stack.up.url, key, chance.getrandbits(32)) for _ in range(CLIENTS)]
    create_bank(clients[0])
    work(clients, lambda: strike(stack, FAULTS[name], after=chance.uniform(0.1, 1 + ITEMS / 20)))
    stack.recover()
    for client in clients:
        client.await_ends(seconds=SETTLED_WITHIN)
        everything += client.parcels
    with psycopg.connect(stack.database_url(), autocommit=True) as database:
        check_nothing_waits(database)
        check_copies(database, everything)
        assert database.execute(DOUBLE_ENTITIES).fetchall() == []
        assert database.execute(DOUBLE_OPINIONS).fetchall() == []
    assert stack.second_worker is not None
    assert stack.second_worker.poll() is None, "an outage ended a worker"
    if IS_LONG:
        assert stack.verify() == {}


def test_the_database_is_sound_after_all_faults(served: tuple[Stack, str]) -> None:
    assert served[0].verify() == {}


def work(clients: list[Client], fault: Callable[[], None]) -> None:
    """The clients share the items, while the fault strikes beside them. The first error of a thread is raised."""
    errors: list[BaseException] = []

    def guarded(act: Callable[[], None]) -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001  # it is raised below
            errors.append(error)

    def act_often(client: Client) -> None:
        for _ in range(ITEMS // CLIENTS):
            client.act()

    threads = [threading.Thread(target=guarded, args=(lambda one=client: act_often(one),)) for client in clients]
    threads.append(threading.Thread(target=guarded, args=(fault,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def strike(stack: Stack, fault: Callable[[Stack], None], *, after: float) -> None:
    time.sleep(after)
    fault(stack)


def check_nothing_waits(database: "psycopg.Connection") -> None:
    """Also what a retain asks for in the background comes to its end."""
    deadline = time.monotonic() + SETTLED_WITHIN
    while found := database.execute(UNFINISHED).fetchall():
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
    failed = database.execute(
        "SELECT kind, error_code, error_detail FROM operations_operation WHERE status = 'failed' AND kind <> 'retain'"
    ).fetchall()
    assert failed == []


def check_copies(database: "psycopg.Connection", parcels: list[Parcel]) -> None:
    by_word = {one.word: one for one in parcels}
    for word, messages, documents, units in database.execute(COPIES, [list(by_word)]).fetchall():
        parcel = by_word[word]
        archived = (0, 0 if parcel.is_deleted else 1) if parcel.as_document else (1, 0)
        assert (messages, documents, units) == (*archived, 0 if parcel.is_deleted else 1), parcel
