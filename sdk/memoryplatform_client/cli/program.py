"""Parsing the command line, running the command, and returning its exit code."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NoReturn

from memoryplatform_client.cli.command import Action, Command, Given
from memoryplatform_client.cli.commands import (
    banks,
    benchmark,
    chat,
    completion,
    doctor,
    export_bank,
    forget,
    import_bank,
    inspect_bank,
    keys,
    login,
    memories,
    migrate,
    opinions,
    profiles,
    recall,
    reflect,
    retain,
    usage,
)
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import EXPECTED, BadUsage, Failure, describe
from memoryplatform_client.cli.session import Session
from memoryplatform_client.client import VERSION

COMMANDS: Sequence[Command] = (
    retain.COMMAND,
    recall.COMMAND,
    reflect.COMMAND,
    chat.COMMAND,
    banks.COMMAND,
    inspect_bank.COMMAND,
    memories.COMMAND,
    forget.COMMAND,
    opinions.COMMAND,
    export_bank.COMMAND,
    import_bank.COMMAND,
    migrate.COMMAND,
    benchmark.COMMAND,
    keys.COMMAND,
    usage.COMMAND,
    login.COMMAND,
    profiles.COMMAND,
    doctor.COMMAND,
    completion.COMMAND,
)
NAME = "memoryplatform"


class RaisingParser(argparse.ArgumentParser):
    """With `--json`, usage errors are reported as JSON like any other error."""

    def error(self, message: str) -> NoReturn:
        raise BadUsage(f"{message[:1].upper()}{message[1:].rstrip('.')}.")


def run(arguments: Sequence[str]) -> int:
    make_streams_lenient()
    parser = build_parser(RaisingParser if asks_for_json(arguments) else argparse.ArgumentParser)
    if not arguments:
        parser.print_help()
        return Exit.DONE
    try:
        given = parse(parser, name_first_action(arguments))
    except SystemExit as end:  # argparse has printed the reason
        return int(end.code or 0)
    except BadUsage as error:
        with Session(as_json=True, profile=None) as session:
            return tell(session, describe(error))
    try:
        with Session(as_json=given.json, profile=given.profile) as session:
            return carry_out(session, given)
    except BrokenPipeError:
        return close_pipe()


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> Given:
    """Argparse takes an optional text for absent if an option stands before it, and returns the text as left over."""
    given, left = parser.parse_known_args(words)
    if len(left) == 1 and not left[0].startswith("-") and getattr(given, "text", "") is None:
        given.text = left[0]
    elif left:
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    return given


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Look for `--json` before parsing. Arguments after `--` are no options."""
    words = list(arguments)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def carry_out(session: Session, given: Given) -> int:
    try:
        code: int = given.run(session, given)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except EXPECTED as error:
        return tell(session, describe(error))
    except KeyboardInterrupt:
        session.out.note("Interrupted.")
        return Exit.INTERRUPTED
    return code


def tell(session: Session, failure: Failure) -> int:
    if session.out.as_json:
        fields = {"detail": failure.detail, "code": failure.code, "request_id": failure.request_id}
        session.out.json_note(fields)
    else:
        session.out.note(failure.sentence, "red")
    return failure.exit_code


def close_pipe() -> int:
    """The reader of the pipe, such as `head`, has closed it. Discard the buffer, so that the exit can't fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.PIPE_CLOSED


def make_streams_lenient() -> None:
    """Replace characters that the terminal's encoding lacks instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def build_parser(kind: type[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The parsers of the commands are of the same `kind`."""
    parser = kind(prog=NAME, description="Memory for agents: retain, recall, reflect.", epilog=describe_service())
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    shared = build_shared()
    for command in COMMANDS:
        parents = [] if command.actions else [shared]
        one = commands.add_parser(
            command.name, help=command.summary, description=command.summary, parents=parents, allow_abbrev=False
        )
        if command.actions:
            add_actions(one, command.actions, shared)
        elif command.add_arguments is not None:
            command.add_arguments(one)
            one.set_defaults(run=command.run)
    return parser


def describe_service() -> str:
    """The service's own commands, if it is installed beside the client. memoryplatform_command.py hands them over."""
    if find_spec("memoryplatform") is None:
        return ""
    return f"The service is installed too: `{NAME} up` runs it, `{NAME} manage COMMAND` a management command."


def build_shared() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="write results and errors as JSON")
    shared.add_argument("--profile", metavar="NAME", help="use this profile instead of the current one")
    return shared


def add_actions(parser: argparse.ArgumentParser, actions: Sequence[Action], shared: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for action in actions:
        one = chosen.add_parser(
            action.name, help=action.summary, description=action.summary, parents=[shared], allow_abbrev=False
        )
        action.add_arguments(one)
        one.set_defaults(run=action.run)


def name_first_action(arguments: Sequence[str]) -> list[str]:
    """`banks` alone, or with options, means `banks list`."""
    words = list(arguments)
    listing = next((one for one in COMMANDS if words[:1] == [one.name] and one.lists_alone), None)
    if listing and (len(words) == 1 or (words[1].startswith("-") and words[1] not in {"-h", "--help"})):
        words.insert(1, listing.actions[0].name)
    return words
