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


def check_file(path: Path, *, sha256: str) -> Path:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelFileError(f"{path} can't be read: {error.strerror}.") from error
    if found != sha256:
        raise ModelFileError(f"{path} is not the file that was expected: its sha256 is {found}, not {sha256}.")
    return path
