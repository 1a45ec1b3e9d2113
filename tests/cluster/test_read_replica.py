"""Recall on a real streaming replica: fresh, behind, and dead."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from django.conf import settings as project_settings
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from memoryplatform.api import views
from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations import read_replica
from memoryplatform.operations import recall as recall_use_case
from memoryplatform.operations.read_replica import PrimaryPlaces, Replica, parse_lsn, read_primary_lsn, write_lsn
from memoryplatform.operations.running import perform
from memoryplatform.settings.service_urls import parse_database_url
from tenants.models import Tenant
from tenants.roles import check_service_role
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.clock import holds_to_a_time
from tests.cluster.replica_server import ReplicaServer
from tests.factories import make_key_with_text, make_tenant
from tests.live_server import use_small_models, wait_until

pytestmark = holds_to_a_time  # recall asks the primary if Redis or the replica are late
FIRST, SECOND = "Ana bought a red bicycle.", "Ana sold the red bicycle to Bruno."
QUESTION = {"query": "What about the red bicycle?", "fill": True}


@pytest.fixture(scope="module")
def server(
    postgres: EmbeddedPostgres, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[ReplicaServer]:
    replica = ReplicaServer(project_settings.TEST_FOLDER / "replica", postgres)
    replica.start()
    url = replica.url("service", "service", "memoryplatform")
    project_settings.DATABASES["replica"] = parse_database_url(url, pool_size=4, wait_seconds=5)
    connections.configure_settings(project_settings.DATABASES)
    yield replica
    with django_db_blocker.unblock():
        opened = cast("DatabaseWrapper", connections["replica"])
        opened.close()
        opened.close_pool()
    del connections["replica"], project_settings.DATABASES["replica"]
    replica.stop()


@pytest.fixture
def replica(
    server: ReplicaServer,
    committed_db: None,
    redis_server: EmbeddedRedis,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> Iterator[ReplicaServer]:
    """With a new state of the process. The lag that is allowed is long, so that only writes decide."""
    fresh = Replica()
    for module in (read_replica, recall_use_case, perform, views):
        monkeypatch.setattr(module, "REPLICA", fresh)
    settings.DATABASE_REPLICA_MAX_LAG_SECONDS = 3600.0
    use_small_models(monkeypatch)
    yield server
    if server._child is not None:
        server.resume()


@pytest.fixture
def alice(replica: ReplicaServer) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def writer(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


@pytest.fixture
def reader(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def retain(caller: Caller, text: str) -> Any:
    answer = caller("POST", "/v1/banks/home/memories", {"items": [{"facts": [{"text": text}]}]})
    assert answer.status_code == 200, answer.content
    return answer


def recall(caller: Caller, **fields: Any) -> list[str]:
    answer = caller("POST", "/v1/banks/home/memories/recall", QUESTION | fields)
    assert answer.status_code == 200, answer.content
    return sorted(result["text"] for result in answer.json()["results"])


def wait_for_replica(replica: ReplicaServer) -> None:
    wanted = read_primary_lsn()
    wait_until(lambda: int(replica.read("SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn")) >= wanted)  # type: ignore[call-overload]


def test_the_writer_sees_its_write_while_the_replica_is_behind(
    replica: ReplicaServer, writer: Caller, reader: Caller
) -> None:
    retain(writer, FIRST)
    wait_for_replica(replica)
    assert recall(reader) == [FIRST]
    wait_for_replica(replica)  # up to the place of the primary that the recall has noted
    replica.pause()
    written = retain(writer, SECOND)
    assert recall(writer) == [FIRST, SECOND]  # the primary's answer
    assert recall(reader) == [FIRST]  # the replica's answer
    assert recall(reader, min_lsn=written["Memory-LSN"]) == [FIRST, SECOND]
    replica.resume()
    wait_for_replica(replica)
    assert recall(reader) == [FIRST, SECOND]


def test_a_replica_that_is_too_far_behind_is_not_read(
    replica: ReplicaServer, writer: Caller, reader: Caller, settings: Settings
) -> None:
    retain(writer, FIRST)
    wait_for_replica(replica)
    replica.pause()
    retain(writer, SECOND)
    settings.DATABASE_REPLICA_MAX_LAG_SECONDS = 0.01
    assert recall(reader) == [FIRST, SECOND]


def test_a_bank_that_the_replica_lacks_is_found_on_the_primary(
    replica: ReplicaServer, writer: Caller, reader: Caller
) -> None:
    wait_for_replica(replica)
    reader("POST", "/v1/banks/nothing/memories/recall", QUESTION)
    replica.pause()
    retain(writer, FIRST)
    assert recall(reader) == [FIRST]


def test_the_primary_answers_when_the_replica_dies(replica: ReplicaServer, writer: Caller, reader: Caller) -> None:
    retain(writer, FIRST)
    wait_for_replica(replica)
    assert recall(reader) == [FIRST]
    replica.stop()
    assert recall(reader) == [FIRST]
    assert read_replica.REPLICA.paused_until > 0
    replica.start()
    read_replica.REPLICA.paused_until = 0
    wait_for_replica(replica)
    replica.pause()
    retain(writer, SECOND)
    assert recall(reader) == [FIRST]  # the replica answers again


def test_a_replica_that_dies_during_a_recall_is_replaced_by_the_primary(
    replica: ReplicaServer, writer: Caller, reader: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    retain(writer, FIRST)
    wait_for_replica(replica)
    assert recall(reader) == [FIRST]

    def stop_and_say_fresh(*_: object) -> bool:
        """The server dies after the check and before the search."""
        replica.stop()
        return True

    monkeypatch.setattr(Replica, "is_fresh", stop_and_say_fresh)
    assert recall(reader) == [FIRST]
    replica.start()


def test_row_level_security_holds_on_the_replica(replica: ReplicaServer, writer: Caller, alice: Tenant) -> None:
    retain(writer, FIRST)
    charlie = make_tenant("charlie")
    wait_for_replica(replica)
    check_service_role(using="replica")
    assert count_units() == 0
    for tenant, seen in ((alice, 1), (charlie, 0)):
        with tenant_transaction(tenant.id, using="replica"):
            assert count_units() == seen
    theirs = Caller(make_key_with_text(charlie)[1])("POST", "/v1/banks/home/memories/recall", QUESTION)
    assert theirs.status_code == 404


def count_units() -> int:
    with connections["replica"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM banks_memoryunit")
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("wrong", ["1", "G/1", "123456789/1", 7])
def test_a_wrong_lsn_is_refused(writer: Caller, wrong: object) -> None:
    assert writer("POST", "/v1/banks/home/memories/recall", QUESTION | {"min_lsn": wrong}).status_code == 422


def test_places_in_the_log_are_written_as_postgres_writes_them() -> None:
    assert parse_lsn("1/16B3748") == 2**32 + 0x16B3748
    assert write_lsn(parse_lsn("1/16B3748")) == "1/16B3748"


def test_the_required_place_is_at_most_the_allowed_lag_old(monkeypatch: pytest.MonkeyPatch) -> None:
    places, now = PrimaryPlaces(), {"lsn": 100}
    monkeypatch.setattr(read_replica, "read_primary_lsn", lambda: now["lsn"])
    assert places.find_required(10.0, 0.0) == 100
    now["lsn"] = 200
    assert places.find_required(10.0, 4.0) == 100
    assert places.find_required(10.0, 6.0) == 100  # 200 is sampled, and may be missing for five seconds more
    now["lsn"] = 300
    assert places.find_required(10.0, 12.0) == 200
    now["lsn"] = 400
    assert places.find_required(10.0, 3_600.0) == 400  # nothing younger is known
