"""`migrate`: retain the data of another memory system."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memoryplatform_client.cli.batches import Batch, Entry, cut_batches
from memoryplatform_client.cli.command import Action, AddArguments, Command, Given, Run
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.migration import hindsight, locomo, longmemeval, mem0
from memoryplatform_client.cli.migration.journal import Journal, open_journal
from memoryplatform_client.cli.migration.limits import find_faults, find_unsendable
from memoryplatform_client.cli.migration.source import Found, Read, Wanted
from memoryplatform_client.cli.reading import NotRead
from memoryplatform_client.cli.session import Session
from memoryplatform_client.cli.settling import settle, submit
from memoryplatform_client.errors import BodyTooLarge, IdempotencyKeyReused, Invalid

READERS: Mapping[str, Read] = {
    "mem0": mem0.read,
    "hindsight": hindsight.read,
    "locomo": locomo.read,
    "longmemeval": longmemeval.read,
}
SUMMARIES = {
    "mem0": "Memories exported from mem0, as JSON or JSON lines.",
    "hindsight": "The transfer archive (ZIP) of a Hindsight bank.",
    "locomo": "Conversations of LoCoMo.",
    "longmemeval": "Haystacks of LongMemEval.",
}
NAMES_BANKS = {"mem0", "hindsight"}  # their files name the user or bank of each memory


def arguments_of(name: str) -> AddArguments:
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--bank", default="", required=name not in NAMES_BANKS, help=bank_help(name))
        parser.add_argument("--restart", action="store_true", help="start again from the beginning")
        parser.add_argument("--dry-run", action="store_true", help="read the file and send nothing")
        if name not in NAMES_BANKS:
            parser.add_argument(
                "--only", action="append", default=[], metavar="ID", help="a conversation to migrate; repeatable"
            )
        else:
            parser.set_defaults(only=[])

    return add_arguments


def bank_help(name: str) -> str:
    if name in NAMES_BANKS:
        return "the target bank (default: the banks that the file names)"
    return "the target bank; each of several conversations gets its own bank, named BANK-ID"


def runner_of(name: str) -> Run:
    def run(session: Session, given: Given) -> int:
        return migrate(session, given, name)

    return run


def migrate(session: Session, given: Given, name: str) -> int:
    wanted = Wanted(given.file, given.bank, frozenset(given.only))
    entries, unread = part(READERS[name](wanted))
    batches = list(cut_batches(entries))
    if not batches:
        raise describe_nothing(given.file, unread)
    for one in unread:
        session.out.note(f"{one.name}: {one.reason}", "red")
    if given.dry_run:
        return tell(session, batches, len(entries), len(unread), is_done=False)
    task = (session.access.url, name, given.bank, *sorted(given.only))
    journal = open_journal(given.file, *task, restart=given.restart)
    if journal.done:
        session.out.note(f"Resuming after {journal.done} of {len(batches)} requests.")
    with session.out.progress(f"Migrating {given.file.name}", total=len(batches)) as move:
        for place, batch in list(enumerate(batches))[journal.done :]:
            move(done=place)
            journal = send(session, journal, place, batch)
    journal.forget()
    return tell(session, batches, journal.items, journal.faults + len(unread), is_done=True)


def part(found: Iterable[Found]) -> tuple[list[Entry], list[NotRead]]:
    """Separate the entries that can be sent from those that can't, with the reason."""
    entries: list[Entry] = []
    unread: list[NotRead] = []
    for one in found:
        if isinstance(one, NotRead):
            unread.append(one)
        elif faults := [*find_unsendable(one), *find_faults(one.item)]:
            unread.append(NotRead(one.name, "; ".join(faults)))
        else:
            entries.append(one)
    return entries, unread


def describe_nothing(file: Path, unread: Sequence[NotRead]) -> CommandFailed:
    """One sentence for a file of a wrong format, instead of a message for each row."""
    if not unread:
        return BadUsage(f"{file} holds nothing to migrate.")
    return CommandFailed(f"{file} holds nothing that can be migrated. {unread[0].name}: {unread[0].reason}")


def send(session: Session, journal: Journal, place: int, batch: Batch) -> Journal:
    """Refused items are reported. The other items are sent all the same."""
    try:
        retained = submit(session, batch, idempotency_key=journal.key_of(place))
    except IdempotencyKeyReused:
        raise
    except (Invalid, BodyTooLarge) as refusal:
        for entry in batch.entries:
            session.out.note(f"{entry.name}: {refusal}", "red")
        return journal.with_batch(items=0, faults=len(batch.entries))
    for fault in retained.item_errors:
        reason = "; ".join(f"{one.field}: {one.message}" for one in fault.faults)
        session.out.note(f"{batch.entries[fault.index].name}: {reason}", "red")
    settled = settle(session, retained)
    for error in settled.errors:
        session.out.note(f"No facts could be extracted from a passage: {error}", "red")
    return journal.with_batch(items=retained.items_count, faults=len(retained.item_errors) + len(settled.errors))


def tell(session: Session, batches: list[Batch], items: int, faults: int, *, is_done: bool) -> int:
    banks = list(dict.fromkeys(one.bank_id for one in batches))
    if session.out.as_json:
        session.out.json({"banks": banks, "items": items, "faults": faults, "dry_run": not is_done})
    else:
        verb = "are in" if is_done else "would go to"
        session.out.line(f"{items:,} items {verb} {len(banks)} banks, {faults} faults: {', '.join(banks[:5])}")
    return Exit.FAILED if faults else Exit.DONE


COMMAND = Command(
    "migrate",
    "Retain the data of another memory system.",
    actions=tuple(Action(name, SUMMARIES[name], arguments_of(name), runner_of(name)) for name in READERS),
)
