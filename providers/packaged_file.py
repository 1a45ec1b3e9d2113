"""Files of another distribution, found without running its code and checked before use."""

import hashlib
import importlib.util
from pathlib import Path

from providers.errors import ModelFileError


def get_packaged_file(package: str, *parts: str) -> Path:
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        raise ModelFileError(f"{'/'.join(parts)} is missing: the package {package} is not installed.")
    return Path(folders[0], *parts)


def check_folder(folder: Path, *, sha256: str) -> Path:
    """`sha256` is that of all files below the folder: of the lines "sha256 path", in the order of the paths."""
    listed = hashlib.sha256()
    try:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            listed.update(f"{found} {path.relative_to(folder).as_posix()}\n".encode())
    except OSError as error:
        raise ModelFileError(f"{folder} can't be read: {error.strerror}.") from error
    if listed.hexdigest() != sha256:
        raise ModelFileError(
            f"{folder} does not have the files that were expected: their sha256 is {listed.hexdigest()}, not {sha256}."
        )
    return folder


def check_file(path: Path, *, sha256: str) -> Path:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelFileError(f"{path} can't be read: {error.strerror}.") from error
    if found != sha256:
        raise ModelFileError(f"{path} is not the file that was expected: its sha256 is {found}, not {sha256}.")
    return path
