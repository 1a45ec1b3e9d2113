"""The command lines of the platform's own processes."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import memoryplatform
from memoryplatform.embedded.address import Address
from memoryplatform.embedded.child import Command
from memoryplatform.embedded.folder import VARIABLE, DataFolder
from memoryplatform.embedded.leftovers import MARK

PROJECT = Path(memoryplatform.__file__).parents[1]
REQUEST_GRACE_SECONDS = 5  # what a request under way may still take


@dataclass(frozen=True)
class Programs:
    environment: Mapping[str, str]

    def django(self, name: str, *arguments: str, title: str | None = None) -> Command:
        return self._python(title or name, "-m", "django", name, *arguments)

    def worker(self, group: str) -> Command:
        return self.django("worker", group, title=f"worker-{group}")

    def web(self, address: Address) -> Command:
        options = {
            "--host": address.host,
            "--port": str(address.port),
            "--loop": "uvloop",
            "--http": "httptools",
            "--lifespan": "on",
            "--log-level": "warning",
            "--timeout-graceful-shutdown": str(REQUEST_GRACE_SECONDS),
        }
        flat = [part for option in options.items() for part in option]
        application = "memoryplatform.asgi:application"
        return self._python("web", "-m", "memoryplatform.embedded.web", application, "--no-access-log", *flat)

    def _python(self, name: str, *arguments: str) -> Command:
        return Command(name=name, argv=(sys.executable, *arguments), cwd=PROJECT, environment=self.environment)


def build_environment(folder: DataFolder, address: Address, kept: Mapping[str, str]) -> dict[str, str]:
    """The person's own environment, with what the data folder says on top."""
    hosts = [name for name in os.environ.get("ALLOWED_HOSTS", "").split(",") if name]
    return {
        **os.environ,
        **kept,
        "ALLOWED_HOSTS": ",".join(dict.fromkeys([*hosts, address.host_name])),
        "DJANGO_SETTINGS_MODULE": "memoryplatform.settings.embedded",
        "PROMETHEUS_MULTIPROC_DIR": str(folder.metrics),
        "PYTHONUNBUFFERED": "1",
        VARIABLE: str(folder.path),
        MARK: str(folder.path),
    }
