"""`memories`: list, show, edit, invalidate and restore the memories of a bank. `forget` deletes them."""

import argparse
from itertools import islice
from typing import Any, get_args

from memoryplatform_client.cli.command import Action, Command, Given, at_least, filled, given_ones, moment
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.output import Output, as_data
from memoryplatform_client.cli.session import Session
from memoryplatform_client.models.memories import MemoryDetail, MemoryHistory
from memoryplatform_client.options.words import Network, TagsMatch

FILTERS = ("q", "type", "tags", "tags_match", "document_id", "thread", "entity_id")
TIMES = ("mentioned_after", "mentioned_before")
STATES = ("current", "superseded", "all")
ROWS = 50


def add_filters(parser: argparse.ArgumentParser) -> None:
    """The filters that `memories list` and `forget` share."""
    parser.add_argument("--search", dest="q", type=filled, metavar="WORDS", help="words that a memory contains")
    parser.add_argument("--type", choices=get_args(Network))
    parser.add_argument(
        "--tag", action="append", dest="tags", default=[], type=filled, metavar="TAG", help="repeatable"
    )
    parser.add_argument("--tags-match", choices=get_args(TagsMatch), help="default: any_strict, one of the tags")
    parser.add_argument("--document", dest="document_id", type=filled, metavar="ID")
    parser.add_argument("--thread", type=filled, help="the conversation")
    parser.add_argument("--entity", dest="entity_id", type=filled, metavar="ID", help="the id of an entity")
    parser.add_argument(
        "--after", dest="mentioned_after", type=moment, metavar="TIME", help="said at this time or later"
    )
    parser.add_argument("--before", dest="mentioned_before", type=moment, metavar="TIME", help="said before this time")


def find_filters(given: Given) -> dict[str, Any]:
    """With `--tag`, only tagged memories match, as in `recall`."""
    if given.tags_match and given.tags_match != "exact" and not given.tags:
        raise BadUsage("--tags-match needs a --tag. Only `exact` works without one: it finds memories without tags.")
    chosen = given_ones(given, *FILTERS, *TIMES, "state")
    return {"tags_match": "any_strict", **chosen} if given.tags else chosen


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    add_filters(parser)
    parser.add_argument("--state", choices=STATES, help="default: current")
    parser.add_argument("--limit", type=at_least(1), default=ROWS, metavar="N", help=f"default: {ROWS}")


def list_memories(session: Session, given: Given) -> int:
    listed = session.client.memories.list(given.bank, limit=min(given.limit, 100), **find_filters(given))
    memories = list(islice(listed, given.limit))
    if session.out.as_json:
        session.out.json(memories)
    else:
        rows = [(one.id, one.type, one.mentioned_at.date(), one.state, one.text) for one in memories]
        session.out.table(["id", "type", "when", "state", "text"], rows)
        if not memories:
            session.out.note("No memory matches.")
    return Exit.DONE


def add_memory_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument("memory", type=filled, help="the memory's id")


def show_memory(session: Session, given: Given) -> int:
    memory = session.client.memories.get(given.bank, given.memory)
    history = session.client.memories.history(given.bank, given.memory)
    if session.out.as_json:
        session.out.json({**as_data(memory), "history": as_data(history)})
    else:
        show_detail(session.out, memory, history)
    return Exit.DONE


def show_detail(out: Output, memory: MemoryDetail, history: MemoryHistory) -> None:
    out.line(memory.text, "bold")
    rows = [
        ("id", memory.id),
        ("type", memory.type),
        ("state", f"{memory.state} {memory.close_reason}".strip()),
        ("said", memory.mentioned_at.isoformat(timespec="seconds")),
        ("occurred", memory.occurred_start and memory.occurred_start.isoformat(timespec="seconds")),
        ("valid from", memory.valid_from and memory.valid_from.isoformat(timespec="seconds")),
        ("valid until", memory.valid_until and memory.valid_until.isoformat(timespec="seconds")),
        ("entities", ", ".join(one.canonical_name for one in memory.entities)),
        ("tags", ", ".join(memory.tags)),
        ("metadata", ", ".join(f"{name}={value}" for name, value in memory.metadata.items())),
        ("document", memory.document_id),
        ("told", "once" if memory.proof_count == 1 else f"{memory.proof_count} times"),
        ("superseded by", memory.superseded_by),
    ]
    out.table(["", ""], [row for row in rows if row[1]])
    if memory.sources:
        out.heading("Sources")
        sources = [(one.name or one.role, one.document_id or one.message_id or "", one.text) for one in memory.sources]
        out.table(["from", "id", "text"], sources)
    if history.changes:
        out.heading("Changes")
        out.table(
            ["when", "what", "by", "why"],
            [(one.at.date(), one.action, one.actor, one.reason) for one in history.changes],
        )


def add_edit_arguments(parser: argparse.ArgumentParser) -> None:
    add_memory_arguments(parser)
    parser.add_argument("--text", type=filled)
    parser.add_argument("--context", help="what the memory is about")
    parser.add_argument("--tag", action="append", dest="tags", type=filled, metavar="TAG", help="replaces all tags")
    parser.add_argument("--occurred", dest="occurred_start", type=moment, metavar="TIME")
    parser.add_argument("--reason", help="the reason, for the history")


def edit_memory(session: Session, given: Given) -> int:
    fields = given_ones(given, "text", "context", "tags", "occurred_start")
    if not fields:
        raise BadUsage("Name what to change: --text, --context, --tag or --occurred.")
    edited = session.client.memories.edit(given.bank, given.memory, **fields, **given_ones(given, "reason"))
    return show_change(session, edited, f"Edited: {edited.text}")


def add_invalidate_arguments(parser: argparse.ArgumentParser) -> None:
    add_memory_arguments(parser)
    parser.add_argument(
        "--reason", choices=["update", "correction"], help="it is no longer true (update), or never was (correction)"
    )
    parser.add_argument("--until", dest="valid_until", type=moment, metavar="TIME", help="when it stopped being true")
    parser.add_argument("--explanation", help="the reason in words, for the history")


def invalidate_memory(session: Session, given: Given) -> int:
    chosen = given_ones(given, "reason", "valid_until", "explanation")
    closed = session.client.memories.invalidate(given.bank, given.memory, **chosen)
    return show_change(session, closed, f"Invalidated: {closed.text}")


def add_restore_arguments(parser: argparse.ArgumentParser) -> None:
    add_memory_arguments(parser)
    parser.add_argument("--explanation", help="the reason in words, for the history")


def restore_memory(session: Session, given: Given) -> int:
    restored = session.client.memories.restore(given.bank, given.memory, **given_ones(given, "explanation"))
    return show_change(session, restored, f"Restored: {restored.text}")


def show_change(session: Session, memory: MemoryDetail, sentence: str) -> int:
    if session.out.as_json:
        session.out.json(memory)
    else:
        session.out.line(sentence)
    return Exit.DONE


COMMAND = Command(
    "memories",
    "List, show, edit, invalidate and restore memories.",
    actions=(
        Action("list", "Memories of a bank, newest first.", add_list_arguments, list_memories),
        Action("show", "A memory with its sources and changes.", add_memory_arguments, show_memory),
        Action("edit", "Change the text or the labels of a memory.", add_edit_arguments, edit_memory),
        Action(
            "invalidate",
            "Close a memory. Questions about the past still find it.",
            add_invalidate_arguments,
            invalidate_memory,
        ),
        Action("restore", "Open an invalidated memory again.", add_restore_arguments, restore_memory),
    ),
)
