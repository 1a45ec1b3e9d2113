"""`login`: an address and a key that are kept."""

import argparse
import getpass
import sys

from memoryplatform_client.cli.access import LOCAL, check_given_key, check_url, is_exposed
from memoryplatform_client.cli.command import Command, Given
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.profiles import Profile, read_profiles, write_profiles
from memoryplatform_client.cli.session import Session
from memoryplatform_client.client import MemoryClient


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The key is no argument: the list of processes and the shell's history show those."""
    parser.add_argument("name", nargs="?", default="default", help="of the profile")
    parser.add_argument("--url", default=LOCAL, help=f"of the service; {LOCAL} where left out")


def run(session: Session, given: Given) -> int:
    profiles = read_profiles()
    profile = Profile(given.name, check_url(given.url), check_given_key(ask_for_key()))
    if is_exposed(profile.url):
        session.out.note(f"Others on the way to {profile.url} can read the key: use https.", "red")
    with MemoryClient(profile.url, profile.key) as client:
        client.banks.list(limit=1).first()
    path = write_profiles(profiles.with_profile(profile))
    if session.out.as_json:
        session.out.json({"profile": profile.name, "url": profile.url, "file": str(path)})
    else:
        session.out.line(f"The profile {profile.name} is kept in {path} and used from now on.")
    return Exit.DONE


def ask_for_key() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("API key: ")
    return sys.stdin.readline()


COMMAND = Command("login", "Keep the address of a service and a key for it.", add_arguments, run)
