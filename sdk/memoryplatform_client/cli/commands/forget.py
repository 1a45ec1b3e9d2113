"""`forget`: delete memories for good, by their ids or by a filter."""

import argparse
from typing import Any

from memoryplatform_client.cli.command import Command, Given, filled
from memoryplatform_client.cli.commands.memories import add_filters, find_filters
from memoryplatform_client.cli.confirming import confirm
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.plain_text import in_one_line
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.memories import MemoryFields

SHOWN = 5  # memories in the prompt
COUNTS = {"deleted_count": "units", "relationships_deleted": "relationships", "entities_deleted": "entities"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("memory", nargs="*", type=filled, help="ids of memories")
    add_filters(parser)
    parser.add_argument("--state", choices=["current", "superseded", "all"], help="default: current")
    parser.add_argument("--all", action="store_true", help="every memory of the bank, the superseded too")
    parser.add_argument("--sources", action="store_true", help="with ids: also the words that they were taken from")
    parser.add_argument("--dry-run", action="store_true", help="show what would be deleted, and delete nothing")
    parser.add_argument("--yes", action="store_true", help="delete without a prompt")


def run(session: Session, given: Given) -> int:
    chosen = choose(given)
    found, total = find_memories(session, given, chosen)
    if given.dry_run:
        return show_preview(session, found, total)
    if total and not given.yes:
        for memory in found[:SHOWN]:
            session.out.note(f"  {in_one_line(memory.text)}")
        if total > SHOWN:
            session.out.note(f"  and {total - SHOWN:,} more")
        confirm(session.out, f"This deletes {name_number(total)} of {given.bank} for good.", word=given.bank)
    counts = delete_named(session, given) if given.memory else delete_matching(session, given, chosen)
    if session.out.as_json:
        session.out.json({"bank_id": given.bank, **counts})
    else:
        session.out.line(f"Deleted {name_number(counts['deleted_count'])} of {given.bank}.")
    return Exit.DONE


def choose(given: Given) -> dict[str, Any]:
    """The filter. A command that names no memory is refused, since it would delete all of them."""
    chosen = find_filters(given)
    ways = [bool(given.memory), bool(chosen), given.all]
    if sum(ways) != 1:
        raise BadUsage("Name memories by their ids, or by a filter such as --tag, or with --all: one of the three.")
    if given.sources and not given.memory:
        raise BadUsage("--sources needs the ids of memories.")
    return {"state": "all"} if given.all else chosen


def find_memories(session: Session, given: Given, chosen: dict[str, Any]) -> tuple[list[MemoryFields], int]:
    """The first memories that would be deleted, and their number. Every id is looked up before the first deletion."""
    if given.memory:
        named: list[MemoryFields] = [
            session.client.memories.get(given.bank, one) for one in dict.fromkeys(given.memory)
        ]
        return named, len(named)
    listed = session.client.memories.list(given.bank, limit=100, **chosen)
    first = listed.first()
    return list(first.items), len(first.items) if first.total is None else first.total


def show_preview(session: Session, found: list[MemoryFields], total: int) -> int:
    if session.out.as_json:
        session.out.json({"dry_run": True, "count": total, "memories": found})
    else:
        session.out.table(["id", "type", "text"], [(one.id, one.type, one.text) for one in found])
        session.out.note(f"{name_number(total)} would be deleted.")
    return Exit.DONE


def delete_named(session: Session, given: Given) -> dict[str, int]:
    counts = dict.fromkeys(COUNTS, 0)
    for memory_id in dict.fromkeys(given.memory):
        deleted = session.client.memories.delete(given.bank, memory_id, sources=given.sources)
        counts = {name: counts[name] + getattr(deleted, name) for name in COUNTS}
    return counts


def delete_matching(session: Session, given: Given, chosen: dict[str, Any]) -> dict[str, int]:
    """A large deletion is an operation. Its result has the counts."""
    cleared = session.client.memories.clear(given.bank, **chosen)
    counts = {name: int(getattr(cleared, name)) for name in COUNTS}
    if cleared.operation_id is not None:
        done = session.wait_for(cleared.operation_id, f"Deleting memories of {given.bank}")
        receipt = (done.result if isinstance(done.result, dict) else {}).get("deleted", {})
        counts = {name: int(receipt.get(theirs, 0)) for name, theirs in COUNTS.items()}
    return counts


def name_number(number: int) -> str:
    return "1 memory" if number == 1 else f"{number:,} memories"


COMMAND = Command("forget", "Delete memories for good.", add_arguments, run)
