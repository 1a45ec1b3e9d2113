"""`export`: a bank's whole content as JSON lines."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from memoryplatform_client.cli.command import Command, Given
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="the file to write (default: -, standard output)"
    )
    parser.add_argument("--vectors", action="store_true", help="include the embeddings")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run(session: Session, given: Given) -> int:
    if given.output == "-":
        if session.out.is_terminal:
            raise BadUsage("Name a file with --output, or send the lines into a pipe.")
        write_lines(session, given, sys.stdout.buffer)
        return Exit.DONE
    path = Path(given.output)
    if path.exists() and not given.force:
        raise BadUsage(f"{path} already exists: --force overwrites it.")
    if not path.parent.is_dir():
        raise BadUsage(f"There is no folder {path.parent}.")
    with made_whole(path) as file:
        rows = write_lines(session, given, file)
    if session.out.as_json:
        session.out.json({"bank_id": given.bank, "file": str(path), "lines": rows, "bytes": path.stat().st_size})
    else:
        session.out.line(f"{rows:,} lines of {given.bank} are in {path}.")
    return Exit.DONE


def write_lines(session: Session, given: Given, file: BinaryIO) -> int:
    rows = 0
    lines = session.client.transfer.export(given.bank, vectors=given.vectors)
    with session.out.progress(f"Exporting {given.bank}") as move, closing(lines):
        for line in lines:
            file.write(line + b"\n")
            rows += 1
            move(done=rows)
    return rows


@contextmanager
def made_whole(path: Path) -> Iterator[BinaryIO]:
    """Write a file that only its owner can read. It gets its final name once it is complete."""
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with naming(path):
            opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "wb") as file:
            yield file
        with naming(path):
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors name the requested file, because the user does not know the temporary one beside it."""
    try:
        yield
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from fault


COMMAND = Command("export", "Write a bank's whole content into a file.", add_arguments, run)
