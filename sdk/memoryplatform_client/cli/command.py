"""A command: its name, its arguments, and its function."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from memoryplatform_client.cli.session import Session

Given: TypeAlias = argparse.Namespace
Run: TypeAlias = Callable[[Session, Given], int]
AddArguments: TypeAlias = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True)
class Action:
    """The second word of a command, such as `list` in `banks list`."""

    name: str
    summary: str
    add_arguments: AddArguments
    run: Run


@dataclass(frozen=True)
class Command:
    """A command has either `run` or `actions`. With `lists_alone`, the first action is the default."""

    name: str
    summary: str
    add_arguments: AddArguments | None = None
    run: Run | None = None
    actions: Sequence[Action] = ()
    lists_alone: bool = False


def no_arguments(_parser: argparse.ArgumentParser) -> None:
    pass


def moment(text: str) -> datetime:
    """An argparse type. A time without a zone is local time."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError) as fault:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 2024-05-08T13:56") from fault


def filled(text: str) -> str:
    """An argparse type that refuses an empty value, such as that of an unset shell variable."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def filled_path(text: str) -> Path:
    """An argparse type that refuses an empty path, which would mean the current folder."""
    return Path(filled(text))


def at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least}")
        return int(text)

    return number


def given_ones(given: Given, *names: str) -> dict[str, Any]:
    """Only the options that the user gave. The service chooses the defaults of the others."""
    return {name: getattr(given, name) for name in names if getattr(given, name) not in (None, [])}
