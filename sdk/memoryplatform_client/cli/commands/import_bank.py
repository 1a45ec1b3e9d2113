"""`import`: a bank from a file that `export` wrote."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from memoryplatform_client.cli.command import Command, Given
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.output import Bar
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.transfer import Imported


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank", help="a new or empty bank")
    parser.add_argument("file", help="the file to read; - for standard input")
    parser.add_argument("--no-wait", action="store_true", help="don't wait for the text index and the vectors")


def run(session: Session, given: Given) -> int:
    imported = load(session, given)
    if imported.next_line is not None:
        raise CommandFailed(f"The file is incomplete: it ends before line {imported.next_line}.")
    if not given.no_wait:
        session.wait_for(imported.operation_id, f"Indexing {given.bank}")
    if session.out.as_json:
        session.out.json(imported)
    else:
        session.out.line(f"{sum(imported.rows.values()):,} rows are in {given.bank}.")
    return Exit.DONE


def load(session: Session, given: Given) -> Imported:
    if given.file == "-":
        if sys.stdin.isatty():
            raise BadUsage("Name a file, or send the lines on standard input.")
        return send(session, given.bank, sys.stdin.buffer, None)
    path = Path(given.file)
    with path.open("rb") as file:
        return send(session, given.bank, file, path.stat().st_size)


def send(session: Session, bank: str, file: BinaryIO, size: int | None) -> Imported:
    with session.out.progress(f"Importing {bank}", total=size) as move:
        try:
            return session.client.transfer.load(bank, counted(file, move))
        except ValueError as fault:  # the client found no line
            raise CommandFailed(str(fault)) from fault


def counted(file: BinaryIO, move: Bar) -> Iterator[bytes]:
    read = 0
    for line in file:
        read += len(line)
        move(done=read)
        yield line


COMMAND = Command("import", "Create a bank from a file that export wrote.", add_arguments, run)
