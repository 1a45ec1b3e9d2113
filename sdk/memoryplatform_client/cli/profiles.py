"""Profiles: addresses and keys in a file of the user's config folder that only its owner can read."""

import json
import os
import stat
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO
from uuid import uuid4

import platformdirs

from memoryplatform_client.cli.failures import BadUsage, CommandFailed

APPLICATION = "memoryplatform"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
HAS_MODES = os.name == "posix"


@dataclass(frozen=True)
class Profile:
    name: str
    url: str
    key: str


@dataclass(frozen=True)
class Profiles:
    """`used`: the profile that applies when the user names none."""

    used: str
    every: tuple[Profile, ...]

    def find(self, name: str) -> Profile | None:
        return next((one for one in self.every if one.name == name), None)

    def with_profile(self, profile: Profile) -> "Profiles":
        kept = tuple(one for one in self.every if one.name != profile.name)
        return Profiles(profile.name, (*kept, profile))

    def without(self, name: str) -> "Profiles":
        kept = tuple(one for one in self.every if one.name != name)
        return replace(self, every=kept, used="" if self.used == name else self.used)


def profiles_path() -> Path:
    return platformdirs.user_config_path(APPLICATION, appauthor=False) / "profiles.json"


def read_profiles() -> Profiles:
    path = profiles_path()
    try:
        with path.open("rb") as file:
            check_owned_alone(path, os.fstat(file.fileno()))
            content = file.read()
    except FileNotFoundError:
        return Profiles("", ())
    try:
        data = json.loads(content)
        return Profiles(str(data["used"]), tuple(Profile(**one) for one in data["profiles"]))
    except (ValueError, TypeError, KeyError) as fault:
        raise CommandFailed(f"{path} is damaged; remove it and log in again.") from fault


def check_owned_alone(path: Path, status: os.stat_result) -> None:
    if HAS_MODES and (status.st_mode & OTHERS or status.st_uid not in {0, os.geteuid()}):
        raise CommandFailed(f"Other users can access the keys in {path}: run `chmod 600 {path}` and check its owner.")


def write_profiles(profiles: Profiles) -> Path:
    """Write atomically. The file is at no time readable by other users."""
    path = profiles_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = json.dumps({"used": profiles.used, "profiles": [asdict(one) for one in profiles.every]}, indent=2)
    beside = path.with_name(f"{path.name}.{uuid4().hex}")
    with open_private(beside) as file:
        file.write(content + "\n")
    beside.replace(path)
    return path


def open_private(path: Path) -> TextIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")


def find_profile(name: str | None) -> Profile | None:
    profiles = read_profiles()
    profile = profiles.find(name or profiles.used)
    if profile is None and name is not None:
        raise BadUsage(f"There is no profile {name!r}: `memoryplatform profiles` lists them.")
    return profile
