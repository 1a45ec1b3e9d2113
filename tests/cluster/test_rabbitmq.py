"""RabbitMQ as Dramatiq's broker: operations, worker processes that are killed, and a broker that loses its messages."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.suites import run_tests

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
EPMD = shutil.which("epmd")
MISSING = not SERVER.exists() or EPMD is None or importlib.util.find_spec("pika") is None
pytestmark = pytest.mark.skipif(MISSING, reason="needs RabbitMQ and pika: apt-get install rabbitmq-server")
START_SECONDS = 90
SUITES = (
    "tests/operations/test_worker_processes.py",
    "tests/api/test_operations.py",
)


def find_free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


@pytest.fixture
def broker_url() -> Iterator[str]:
    """A node of its own, with its own port mapper and without plugins."""
    folder = Path(tempfile.mkdtemp(prefix="mp-rabbit-", dir="/tmp"))
    port, distribution, mapper = find_free_ports(3)
    (folder / "plugins").write_text("[].")
    environment = os.environ | {
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"mp{os.getpid()}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    output = folder / "output"
    with output.open("wb") as file:
        process = subprocess.Popen([str(SERVER)], env=environment, stdout=file, stderr=file, start_new_session=True)
    try:
        wait_until_open(port, process, output)
        yield f"amqp://guest:guest@127.0.0.1:{port}/%2F"
    finally:
        process.terminate()
        process.wait(60)
        subprocess.run([str(EPMD), "-port", str(mapper), "-kill"], check=False, capture_output=True, env=environment)
        shutil.rmtree(folder, ignore_errors=True)


def wait_until_open(port: int, process: "subprocess.Popen[bytes]", output: Path) -> None:
    """A connection that RabbitMQ itself accepts: the port opens a moment earlier."""
    import time

    import pika

    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, output.read_text(errors="replace")[-3_000:]
        try:
            pika.BlockingConnection(pika.URLParameters(f"amqp://guest:guest@127.0.0.1:{port}/%2F")).close()
        except (pika.exceptions.AMQPError, OSError):
            assert time.monotonic() < deadline, output.read_text(errors="replace")[-3_000:]
            time.sleep(0.5)
        else:
            return


@pytest.mark.timeout(700)  # a minute on an idle machine
def test_operations_are_performed_through_rabbitmq(broker_url: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="mp-rt-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        assert "passed" in run_tests(folder, *SUITES, BROKER_URL=broker_url)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
