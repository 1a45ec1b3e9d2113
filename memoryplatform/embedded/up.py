"""The whole service in one process tree."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.banner import build_banner
from memoryplatform.embedded.child import Child, discard
from memoryplatform.embedded.console import Console
from memoryplatform.embedded.demo import DemoLogin, parse_demo
from memoryplatform.embedded.errors import Interrupted
from memoryplatform.embedded.folder import DataFolder
from memoryplatform.embedded.leftovers import stop_marked
from memoryplatform.embedded.processes import Processes, Stage
from memoryplatform.embedded.programs import Programs, build_environment
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
    with folder.lock():
        stop_marked(folder.path)
        options.address.check_free()
        try:
            with Processes() as processes:
                serve(options, folder, processes, console)
        except Interrupted:
            console.say("Stopped.")


def serve(options: Options, folder: DataFolder, processes: Processes, console: Console) -> None:
    with step("Postgres and Redis are ready", console):
        services = start_services(folder, options.external, processes, console)
        programs = write_environment(folder, options.address, services)
    with step("The database is migrated", console):
        processes.run(programs.django("migrate", "--no-input"), discard)
    with step("Web and workers are running", console):
        start_platform(options, programs, processes, console)
    demo = ensure_demo(programs, processes)
    console.say(build_banner(options.address, demo, folder.path))
    console.stream_logs()
    try:
        processes.wait_for_request()
    except Interrupted:
        console.say("Stopping ...")
        raise


def write_environment(folder: DataFolder, address: Address, services: Services) -> Programs:
    kept = {name: folder.secret(name) for name in ("SECRET_KEY", "API_KEY_SECRET")} | services.environment()
    folder.write_environment(kept)
    folder.empty_metrics()
    return Programs(build_environment(folder, address, kept))


def start_platform(options: Options, programs: Programs, processes: Processes, console: Console) -> None:
    """The workers wait until the web server answers: on two cores they would hold up its start."""
    processes.add(Stage.WEB, Child(programs.web(options.address), console.log))
    processes.wait_until(
        options.address.is_healthy, seconds=HEALTH_SECONDS, what=f"{options.address.url}/health does not answer"
    )
    for group in options.queue_groups:
        processes.add(Stage.WORKERS, Child(programs.worker(group), console.log))


def ensure_demo(programs: Programs, processes: Processes) -> DemoLogin:
    """After all else that can fail, because its answer shows a new password and key once."""
    return parse_demo(processes.run(programs.django("demo", "--json"), discard))


@contextmanager
def step(done: str, console: Console) -> Iterator[None]:
    began = time.monotonic()
    yield
    console.say(f"{done} ({time.monotonic() - began:.1f} s)")
