"""`inspect`: a bank's summary on one screen."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

from memoryplatform_client.cli.command import Command, Given
from memoryplatform_client.cli.commands.banks import add_bank_argument, show_profile
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.output import Output, as_data
from memoryplatform_client.cli.session import Session
from memoryplatform_client.client import MemoryClient
from memoryplatform_client.models.banks import Bank
from memoryplatform_client.models.memories import MemoryItem
from memoryplatform_client.models.operations import Operation
from memoryplatform_client.models.opinions import Opinion
from memoryplatform_client.options.words import Network

NETWORKS: tuple[Network, ...] = ("world", "experience", "opinion", "observation")
SHOWN = 5


@dataclass(frozen=True)
class Glance:
    bank: Bank
    counts: dict[str, int | None]
    memories: list[MemoryItem]
    opinions: list[Opinion]
    operations: list[Operation]


def run(session: Session, given: Given) -> int:
    glance = look_at(session.client, given.bank)
    if session.out.as_json:
        session.out.json({name: as_data(value) for name, value in vars(glance).items()})
    else:
        show(session.out, glance)
    return Exit.DONE


def look_at(client: MemoryClient, bank_id: str) -> Glance:
    """Operations older than the bank are left out: they belong to a deleted bank with the same id."""
    bank = client.banks.get(bank_id)
    under_way = (
        operation
        for status in ("processing", "pending")
        for operation in client.operations.list(bank_id=bank_id, status=status)
        if operation.created_at >= bank.created_at
    )
    return Glance(
        bank=bank,
        counts=count_rows(client, bank_id),
        memories=client.memories.list(bank_id, limit=SHOWN).first().items,
        opinions=client.opinions.list(bank_id, limit=SHOWN, order="changed").first().items,
        operations=list(islice(under_way, SHOWN)),
    )


def count_rows(client: MemoryClient, bank_id: str) -> dict[str, int | None]:
    counts = {name: client.memories.list(bank_id, type=name, limit=1).first().total for name in NETWORKS}
    others: dict[str, Any] = {
        "messages": client.messages,
        "episodes": client.episodes,
        "documents": client.documents,
        "entities": client.entities,
    }
    return counts | {name: resource.list(bank_id, limit=1).first().total for name, resource in others.items()}


def show(out: Output, glance: Glance) -> None:
    show_profile(out, glance.bank)
    out.heading("Holds")
    out.table(["", ""], [(name, number) for name, number in glance.counts.items()])
    if glance.memories:
        out.heading("Newest memories")
        out.table(["type", "when", "text"], [(one.type, one.mentioned_at.date(), one.text) for one in glance.memories])
    if glance.opinions:
        out.heading("Opinions")
        out.table(["confidence", "text"], [(f"{one.confidence:.2f}", one.text) for one in glance.opinions])
    if glance.operations:
        out.heading("Under way")
        rows = [(one.operation_id, one.kind, one.status, describe_progress(one)) for one in glance.operations]
        out.table(["operation", "kind", "status", "progress"], rows)


def describe_progress(operation: Operation) -> str:
    progress = operation.progress
    return f"{progress.stage} {progress.processed}/{progress.total}" if progress.total else progress.stage


COMMAND = Command("inspect", "Summarise a bank on one screen.", add_bank_argument, run)
