"""The whole service in one process tree."""

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import memoryplatform
from memoryplatform.embedded.address import Address
from memoryplatform.embedded.child import Child, Command, discard
from memoryplatform.embedded.console import Console, DemoLogin, build_banner, build_reminder, parse_demo_login
from memoryplatform.embedded.errors import Interrupted, StartError
from memoryplatform.embedded.folder import VARIABLE, DataFolder
from memoryplatform.embedded.processes import MARK, Processes, Stage, stop_marked
from memoryplatform.embedded.services import ExternalServices, start_services

HEALTH_SECONDS = 120.0
PROJECT = Path(memoryplatform.__file__).parents[1]
SECONDS_OF_FIRST_LINES = 20.0  # until the workers have loaded their models
REQUEST_GRACE_SECONDS = 5  # for requests under way when the web server stops


@dataclass(frozen=True)
class Options:
    address: Address
    data_dir: Path
    external: ExternalServices
    queue_groups: tuple[str, ...]
    with_demo: bool = True


@dataclass(frozen=True)
class Programs:
    """The command lines of the platform's own processes."""

    environment: Mapping[str, str]
    lease_folder: Path

    def django(self, name: str, *arguments: str, title: str | None = None) -> Command:
        return self._python(title or name, "-m", "django", name, *arguments)

    def worker(self, group: str) -> Command:
        return self.django("worker", group, title=f"worker-{group}")

    def web(self, address: Address) -> Command:
        options = {
            "--host": address.host,
            "--port": str(address.port),
            "--loop": "uvloop",
            "--http": "memoryplatform.server.http_protocol:Http",
            "--ws": "none",
            "--lifespan": "on",
            "--log-level": "warning",
            "--timeout-graceful-shutdown": str(REQUEST_GRACE_SECONDS),
        }
        flat = [part for option in options.items() for part in option]
        application = "memoryplatform.asgi:application"
        return self._python("web", "-m", "memoryplatform.embedded.web", application, "--no-access-log", *flat)

    def _python(self, name: str, *arguments: str) -> Command:
        environment = {**self.environment, "OPERATION_LEASE_FOLDER": str(self.lease_folder / name)}
        return Command(name=name, argv=(sys.executable, *arguments), cwd=PROJECT, environment=environment)


def run(options: Options, console: Console) -> None:
    """Serve until Ctrl-C. Any other end raises StartError with the reason. All processes have stopped on return."""
    folder = DataFolder(options.data_dir)
    folder.prepare()
    try:
        with folder.lock(), Processes() as processes:
            stop_marked(folder.path)
            options.address.check_free()
            serve(options, folder, processes, console)
    except Interrupted:
        console.say("Stopped.")
    except OSError as error:  # a full disk, a file of another owner
        raise StartError(f"The data folder {folder.path} can't be used: {error}.") from error


def serve(options: Options, folder: DataFolder, processes: Processes, console: Console) -> None:
    with log_step("Postgres and Redis are ready", console):
        services = start_services(folder, options.external, processes, console)
        programs = write_environment(folder, options.address, services)
    # The web process loads its modules while the migrations run, and serves when they are done.
    processes.add(Stage.WEB, Child(programs.web(options.address), console.log))
    with log_step("The database is migrated, the demo tenant is there", console):
        demo = ensure_demo(programs, processes, with_bank=options.with_demo)
    with log_step("The web server answers", console):
        unanswered = f"{options.address.url}/health does not answer"
        processes.wait_until(options.address.is_healthy, seconds=HEALTH_SECONDS, what=unanswered)
    start_workers(options.queue_groups, programs, processes, console)
    console.say(build_banner(options.address, demo, folder.path, with_bank=options.with_demo))
    console.stream_logs()
    try:
        with say_later(build_reminder(options.address, demo), console):
            processes.supervise(console.say)
    except Interrupted:
        console.say("Stopping ...")
        raise


@contextmanager
def say_later(text: str, console: Console) -> Iterator[None]:
    """Say it when the workers have written their first lines, which would push it out of sight."""
    timer = threading.Timer(SECONDS_OF_FIRST_LINES, console.say, [text])
    timer.daemon = True
    if text:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def write_environment(folder: DataFolder, address: Address, services: Mapping[str, str]) -> Programs:
    kept = {name: folder.secret(name) for name in ("SECRET_KEY", "API_KEY_SECRET")} | dict(services)
    kept["UP_URL"], kept["UP_HOST"] = address.url, address.host
    kept["METRICS_TOKEN"] = os.environ.get("METRICS_TOKEN") or folder.secret("METRICS_TOKEN")
    folder.write_environment(kept)
    folder.empty_metrics()
    return Programs(build_environment(folder, address, kept), folder.leases)


def build_environment(folder: DataFolder, address: Address, kept: Mapping[str, str]) -> dict[str, str]:
    """The caller's own environment, overridden by the data folder's."""
    hosts = [name for name in os.environ.get("ALLOWED_HOSTS", "").split(",") if name]
    return {
        "MALLOC_ARENA_MAX": "2",  # glibc keeps an area of memory for each thread otherwise, and returns little of it
        **os.environ,
        **kept,
        "ALLOWED_HOSTS": ",".join(dict.fromkeys([*hosts, address.host_name])),
        "DJANGO_SETTINGS_MODULE": "memoryplatform.settings.embedded",
        "PROMETHEUS_MULTIPROC_DIR": str(folder.metrics),
        "PYTHONUNBUFFERED": "1",
        VARIABLE: str(folder.path),
        MARK: str(folder.path),
    }


def ensure_demo(programs: Programs, processes: Processes, *, with_bank: bool) -> DemoLogin:
    """Migrate and make tenant and bank of the demo in one process: to start another takes as long as the migrations.

    A web server that ends meanwhile ends this too. So little can fail between the new password and the banner, which
    is the only place that shows it.
    """
    left_out = () if with_bank else ("--no-bank",)
    return parse_demo_login(processes.run(programs.django("demo", "--json", "--migrate", *left_out), discard))


def start_workers(groups: Iterable[str], programs: Programs, processes: Processes, console: Console) -> None:
    """Start them last: on two cores they would hold up everything before them. Earlier work waits in its queue."""
    for group in groups:
        processes.add(Stage.WORKERS, Child(programs.worker(group), console.log))


@contextmanager
def log_step(done: str, console: Console) -> Iterator[None]:
    began = time.monotonic()
    yield
    console.say(f"{done} ({time.monotonic() - began:.1f} s)")
