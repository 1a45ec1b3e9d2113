"""`profiles`: the addresses and keys that `login` stored."""

import argparse
from dataclasses import replace

from memoryplatform_client.cli.command import Action, Command, Given, no_arguments
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.profiles import Profiles, read_profiles, write_profiles
from memoryplatform_client.cli.session import Session

SHOWN = 8  # characters of a key: enough to recognise it in the service's list, too few to use it


def list_profiles(session: Session, _given: Given) -> int:
    profiles = read_profiles()
    if session.out.as_json:
        shown = [{"name": one.name, "url": one.url, "used": one.name == profiles.used} for one in profiles.every]
        session.out.json(shown)
    else:
        rows = [
            ("*" if one.name == profiles.used else "", one.name, one.url, f"{one.key[:SHOWN]}…")
            for one in profiles.every
        ]
        session.out.table(["", "name", "url", "key"], rows)
    return Exit.DONE


def add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name")


def use_profile(session: Session, given: Given) -> int:
    profiles = read_named(given.name)
    write_profiles(replace(profiles, used=given.name))
    return answer(session, given.name, f"The profile {given.name} is now in use.")


def remove_profile(session: Session, given: Given) -> int:
    write_profiles(read_named(given.name).without(given.name))
    return answer(session, given.name, f"Removed the profile {given.name}.")


def read_named(name: str) -> Profiles:
    profiles = read_profiles()
    if profiles.find(name) is None:
        raise BadUsage(f"There is no profile {name!r}.")
    return profiles


def answer(session: Session, name: str, sentence: str) -> int:
    if session.out.as_json:
        session.out.json({"profile": name})
    else:
        session.out.line(sentence)
    return Exit.DONE


COMMAND = Command(
    "profiles",
    "List, choose and remove the profiles that login stored.",
    actions=(
        Action("list", "All profiles; * is the one in use.", no_arguments, list_profiles),
        Action("use", "Use a profile from now on.", add_name, use_profile),
        Action("remove", "Remove a profile and its key.", add_name, remove_profile),
    ),
    lists_alone=True,
)
