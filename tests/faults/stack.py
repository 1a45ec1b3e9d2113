"""The whole service as real processes, a second worker for retains, and the ways to hurt them."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import psutil

from tests.embedded.up_process import PROJECT, Up, person
from tests.faults.client import BANK, Client
from tests.faults.model import Illness, Model

LEASE_SECONDS = 3
SETTINGS = {
    "LLM_MODEL": "scripted",
    "LLM_MAX_RETRIES": "0",
    "LLM_TIMEOUT_SECONDS": "3",
    "OPERATION_LEASE_SECONDS": str(LEASE_SECONDS),
    "OPERATION_RETRY_SECONDS": "0.3",
    "OPERATION_MAX_ATTEMPTS": "20",
    "RERANKING_PROVIDER": "none",
    "RATE_LIMIT_PER_KEY": "100000",
    "RATE_LIMIT_PER_TENANT": "100000",
    "WORKER_THREADS": "2",
    "WORKER_NICENESS": "0",
}


@dataclass
class Stack:
    up: Up
    model: Model
    chance: random.Random
    second_worker: "subprocess.Popen[bytes] | None" = None

    def start(self, llm_url: str) -> str:
        """Returns an API key."""
        self.up.environment |= SETTINGS | {"LLM_BASE_URL": llm_url}
        self.up.options = ["--no-demo"]
        key = re.search(r"Bearer (\S+)\"", self.up.start())
        assert key is not None
        self._start_second_worker()
        return key[1]

    def _start_second_worker(self) -> None:
        """`up` has one worker for each group. While it is frozen, another one must take its operations."""
        argv = [sys.executable, "manage.py", "worker", "ingest"]
        with (self.up.folder.parent / "second-worker").open("wb") as output:
            self.second_worker = subprocess.Popen(
                argv, cwd=PROJECT, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )

    @property
    def environment(self) -> dict[str, str]:
        return person() | self.up.environment | {"MEMORYPLATFORM_DATA_DIR": str(self.up.folder)}

    def stop(self) -> None:
        if self.second_worker is not None:
            self.second_worker.terminate()
            self.second_worker.wait(30)

    def find(self, *parts: str) -> psutil.Process:
        """The child of `up` whose command line has these parts; it may be about to start."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for child in psutil.Process(self.up.process.pid).children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    line = child.cmdline()
                    if child.name() in parts or all(part in line for part in parts):
                        return child
            time.sleep(0.1)
        raise AssertionError(f"there is no process of {parts}")

    def kill_worker(self) -> None:
        self.find("worker", self.chance.choice(["ingest", "background"])).kill()

    def kill_web(self) -> None:
        self.find("--no-access-log").kill()

    def lose_redis(self) -> None:
        """Redis dies, and its file is gone when it comes back."""
        server = self.find("redis-server")
        for file in (self.up.folder / "redis").glob("*.aof"):
            file.unlink()
        server.kill()

    def stop_postgres(self) -> None:
        """An immediate stop: no checkpoint, every session is cut, the next start recovers from the log."""
        self.find("postgres").send_signal(signal.SIGQUIT)

    def freeze_worker(self) -> None:
        worker = self.find("worker", "ingest")
        worker.suspend()
        time.sleep(2 * LEASE_SECONDS)
        worker.resume()

    def fall_ill(self, illness: Illness) -> None:
        self.model.illness = illness

    def recover(self) -> None:
        self.model.illness = ""

    def verify(self) -> dict[str, list[str]]:
        """The findings of `manage.py verify`."""
        argv = [sys.executable, "manage.py", "verify", "--json"]
        done = subprocess.run(argv, cwd=PROJECT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode in {0, 1}, done.stderr
        report: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
        assert report["banks"] == 1
        return {one["check"]: one["first"] for one in report["results"] if one["found"]}

    def database_url(self) -> str:
        kept = json.loads((self.up.folder / "environment.json").read_text())
        return str(kept["environment"]["DATABASE_PLATFORM_URL"])


def create_bank(client: Client) -> None:
    client.call("POST", "/v1/banks", {"bank_id": BANK.rpartition("/")[2]}, also=frozenset({409}))


SEED = int(os.environ.get("FAULT_SEED", "1"))
ITEMS = int(os.environ.get("FAULT_ITEMS", "4"))
