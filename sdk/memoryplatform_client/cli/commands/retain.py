"""`retain`: a text, files, a folder, or standard input."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from memoryplatform_client.cli.batches import Batch, Entry, cut_batches
from memoryplatform_client.cli.command import Command, Given, filled, filled_path, given_ones, moment
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.output import Bar
from memoryplatform_client.cli.reading import NotRead, Source, read_file, read_folder, read_stdin
from memoryplatform_client.cli.session import Session
from memoryplatform_client.cli.settling import settle, submit
from memoryplatform_client.errors import BodyTooLarge, Invalid
from memoryplatform_client.options.retain import Item

LABELS = ("context", "timestamp", "tags")


@dataclass
class Tally:
    items: int = 0
    memories: list[str] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)
    refused: list[NotRead] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank", help="created if missing")
    parser.add_argument("text", nargs="?", help="the text (default: -, standard input)")
    parser.add_argument("--file", action="append", type=filled_path, default=[], metavar="PATH", help="repeatable")
    parser.add_argument("--folder", type=filled_path, metavar="PATH", help="retain every text file in it as a document")
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only these files of the folder, such as '*.md'",
    )
    parser.add_argument(
        "--document", type=filled, metavar="ID", help="id of a single text or file; replaces the earlier document"
    )
    parser.add_argument("--context", help="what the text is about")
    parser.add_argument("--timestamp", type=moment, metavar="TIME", help="when the text was said or written")
    parser.add_argument("--thread", type=filled, help="the conversation that the text belongs to")
    parser.add_argument("--tag", action="append", dest="tags", default=[], metavar="TAG", help="repeatable")
    parser.add_argument("--no-infer", action="store_true", help="store the text without extracting facts")
    parser.add_argument("--no-wait", action="store_true", help="print the operation and don't wait for it")
    parser.add_argument("--dry-run", action="store_true", help="show the facts of a single text, and store nothing")


def run(session: Session, given: Given) -> int:
    sources = list(find_sources(given))
    if given.folder and not sources:
        raise CommandFailed(describe_nothing(given.folder, given.include))
    tally = Tally(refused=[one for one in sources if isinstance(one, NotRead)])
    texts = [one for one in sources if isinstance(one, Source)]
    if given.dry_run:
        return try_text(session, given, texts, tally)
    batches = list(cut_batches(Entry(given.bank, one.name, build_item(one, given)) for one in texts))
    with session.out.progress(f"Retaining in {given.bank}", total=len(texts)) as move:
        for batch in batches:
            send(session, batch, tally, wait=not given.no_wait)
            advance(move, tally)
    show(session, given.bank, tally, is_done=not given.no_wait)
    return Exit.FAILED if tally.refused or tally.errors else Exit.DONE


def try_text(session: Session, given: Given, texts: Sequence[Source], tally: Tally) -> int:
    if len(texts) + len(tally.refused) != 1:
        raise BadUsage("--dry-run takes a single text or file.")
    if tally.refused:
        raise CommandFailed(f"{tally.refused[0].name}: {tally.refused[0].reason}")
    tried = session.client.dry_run(given.bank, **build_item(texts[0], given))
    if session.out.as_json:
        session.out.json(tried)
        return Exit.DONE
    (item,) = tried.items
    rows = [(one.outcome, one.type, ", ".join(e.name for e in one.entities), one.text) for one in item.facts]
    session.out.table(["outcome", "network", "entities", "text"], rows)
    for note in (*item.errors, *item.notes):
        session.out.note(note, "red")
    session.out.line(f"Nothing was stored. {tried.engine} used {tried.usage.input_tokens:,} tokens to read.")
    return Exit.FAILED if item.errors else Exit.DONE


def find_sources(given: Given) -> Iterator[Source | NotRead]:
    wanted = [name for name in ("text", "file", "folder") if getattr(given, name)]
    if len(wanted) > 1:
        raise BadUsage("Give a text, or --file, or --folder: one of them.")
    if given.document and (given.folder or len(given.file) > 1):
        raise BadUsage("--document names a single text.")
    if given.thread and (given.document or given.file or given.folder):
        raise BadUsage("--thread is for conversations: files, and texts with --document, are documents.")
    check_names(given.file)
    if given.folder:
        yield from read_folder(given.folder, given.include)
    elif given.file:
        yield from (read_file(path, given.document or path.name) for path in given.file)
    elif given.text and given.text != "-":
        yield Source(given.document or "", given.text)
    else:
        yield Source(given.document or "", read_stdin().text)


def describe_nothing(folder: Path, patterns: Sequence[str]) -> str:
    fitting = f" that matches {' or '.join(patterns)}" if patterns else ""
    return f"There is no file in {folder}{fitting}: nothing was retained. Hidden files and links are skipped."


def check_names(paths: Sequence[Path]) -> None:
    """A file's name is its document id, so of two files with one name the second would replace the first."""
    by_name: dict[str, Path] = {}
    for path in paths:
        twin = by_name.setdefault(path.name, path)
        if twin is not path:
            raise BadUsage(
                f"{twin} and {path} would both be the document {path.name}: retain one of them with --document."
            )


def build_item(source: Source, given: Given) -> Item:
    document = {"document_id": source.name} if source.name else {}
    said = {"messages": [{"role": "user", "content": source.text}], "thread": given.thread}
    text = said if given.thread else {"content": source.text, **document}
    return cast("Item", {**text, "infer": not given.no_infer, **given_ones(given, *LABELS)})


def send(session: Session, batch: Batch, tally: Tally, *, wait: bool) -> None:
    """A refused file is reported at the end. The other files are sent all the same."""
    try:
        retained = submit(session, batch, wait=wait)
    except (Invalid, BodyTooLarge) as refusal:
        tally.refused += [NotRead(one.name, str(refusal)) for one in batch.entries]
        return
    refused = {fault.index: fault for fault in retained.item_errors if not fault.accepted}
    for index, fault in refused.items():
        reason = "; ".join(f"{one.field}: {one.message}" for one in fault.faults)
        tally.refused.append(NotRead(batch.entries[index].name, reason))
    tally.items += retained.items_count
    tally.operations.append(str(retained.operation_id))
    if wait:
        settled = settle(session, retained)
        tally.memories += settled.memory_ids
        tally.errors += settled.errors


def advance(move: Bar, tally: Tally) -> None:
    move(done=tally.items + len(tally.refused))


def show(session: Session, bank: str, tally: Tally, *, is_done: bool) -> None:
    for one in tally.refused:
        session.out.note(f"{one.name or 'The text'} was not retained: {one.reason}", "red")
    for error in tally.errors:
        session.out.note(f"No facts could be extracted from a passage: {error}", "red")
    if session.out.as_json:
        session.out.json(
            {
                "bank_id": bank,
                "items": tally.items,
                "memory_ids": tally.memories,
                "operation_ids": tally.operations,
                "refused": [{"name": one.name, "reason": one.reason} for one in tally.refused],
                "errors": tally.errors,
            }
        )
        return
    session.out.line(describe_done(bank, tally) if is_done else describe_accepted(bank, tally))


def describe_done(bank: str, tally: Tally) -> str:
    return f"{count(tally.items, 'text')} retained in {bank}, {count(len(tally.memories), 'new memory')}."


def describe_accepted(bank: str, tally: Tally) -> str:
    accepted = f"{count(tally.items, 'text')} accepted for {bank}"
    if not tally.operations:
        return f"{accepted}."
    word = "operation" if len(tally.operations) == 1 else "operations"
    return f"{accepted}, processed by {word} {', '.join(tally.operations)}."


def count(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number:,} {word if number == 1 else plural}"


COMMAND = Command("retain", "Store a text, files or a folder, and extract facts.", add_arguments, run)
