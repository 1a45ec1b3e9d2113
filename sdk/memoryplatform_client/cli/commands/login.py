"""`login`: store a service's address and an API key as a profile."""

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
    """The key is no argument, because process lists and the shell's history show arguments."""
    parser.add_argument("name", nargs="?", default="default", help="name of the profile")
    parser.add_argument("--url", default=LOCAL, help=f"address of the service (default: {LOCAL})")


def run(session: Session, given: Given) -> int:
    profiles = read_profiles()
    profile = Profile(given.name, check_url(given.url), check_given_key(ask_for_key()))
    if is_exposed(profile.url):
        session.out.note(f"The key is sent to {profile.url} unencrypted: use https.", "red")
    with MemoryClient(profile.url, profile.key) as client:
        client.banks.list(limit=1).first()
    path = write_profiles(profiles.with_profile(profile))
    if session.out.as_json:
        session.out.json({"profile": profile.name, "url": profile.url, "file": str(path)})
    else:
        session.out.line(f"Saved the profile {profile.name} in {path}. It is now in use.")
    return Exit.DONE


def ask_for_key() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("API key: ")
    return sys.stdin.readline()


COMMAND = Command("login", "Save the address of a service and an API key for it.", add_arguments, run)
