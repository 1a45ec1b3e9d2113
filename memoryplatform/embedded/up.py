"""The whole service in one process tree."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.banner import build_banner
from memoryplatform.embedded.child import Child, discard
from memoryplatform.embedded.console import Console
from memoryplatform.embedded.demo import DemoLogin, parse_demo
from memoryplatform.embedded.errors import Interrupted, StartError
from memoryplatform.embedded.folder import DataFolder
from memoryplatform.embedded.leftovers import stop_marked
from memoryplatform.embedded.processes import Processes, Stage
from memoryplatform.embedded.programs import Programs, build_environment
from memoryplatform.embedded.restarting import RestartingChild
from memoryplatform.embedded.services import External, Services, start_services

HEALTH_SECONDS = 120.0


@dataclass(frozen=True)
class Options:
    address: Address
    data_dir: Path
    external: External
    queue_groups: tuple[str, ...]


def run(options: Options, console: Console) -> None:
    """Returns after Ctrl-C; raises StartError with the reason for any other end. Either way nothing runs then."""
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
    with step("Postgres and Redis are ready", console):
        services = start_services(folder, options.external, processes, console)
        programs = write_environment(folder, options.address, services)
    start_web(options.address, programs, processes, console)
    with step("The database is migrated, the demo tenant is there", console):
        demo = ensure_demo(programs, processes)
    with step("The web server answers", console):
        wait_for_web(options.address, processes)
    start_workers(options.queue_groups, programs, processes, console)
    console.say(build_banner(options.address, demo, folder.path))
    console.stream_logs()
    wait_for_the_end(processes, console)


def write_environment(folder: DataFolder, address: Address, services: Services) -> Programs:
    kept = {name: folder.secret(name) for name in ("SECRET_KEY", "API_KEY_SECRET")} | services.environment()
    folder.write_environment(kept)
    folder.empty_metrics()
    return Programs(build_environment(folder, address, kept))


def start_web(address: Address, programs: Programs, processes: Processes, console: Console) -> None:
    """First, though it can serve only when the database is migrated: it loads meanwhile."""
    processes.add(Stage.WEB, Child(programs.web(address), console.log))


def wait_for_web(address: Address, processes: Processes) -> None:
    processes.wait_until(address.is_healthy, seconds=HEALTH_SECONDS, what=f"{address.url}/health does not answer")


def ensure_demo(programs: Programs, processes: Processes) -> DemoLogin:
    """In one process with the migrations: to start another takes as long as half of them. A web server that ends
    meanwhile ends this too, so that little can go wrong between a new password and the banner, which alone shows it.
    """
    return parse_demo(processes.run(programs.django("demo", "--json", "--migrate"), discard))


def start_workers(groups: Iterable[str], programs: Programs, processes: Processes, console: Console) -> None:
    """Last: on two cores they would hold up everything before them, and work that comes earlier waits in its queue."""
    for group in groups:
        command = programs.worker(group)
        processes.add(Stage.WORKERS, RestartingChild(partial(Child, command, console.log), console.say))


def wait_for_the_end(processes: Processes, console: Console) -> None:
    try:
        processes.wait_for_request()
    except Interrupted:
        console.say("Stopping ...")
        raise


@contextmanager
def step(done: str, console: Console) -> Iterator[None]:
    began = time.monotonic()
    yield
    console.say(f"{done} ({time.monotonic() - began:.1f} s)")
