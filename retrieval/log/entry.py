"""What the log keeps of one recall: a record in each bank that it asked, and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from banks.models import Bank
from providers.usage import Usage
from retrieval.models import RecallRecord
from retrieval.query.cleaning import clean_query
from retrieval.types import Channel, RecallItem, RecallQuery, RecallResult
from tenants.models import UsageRecord


@dataclass(frozen=True)
class LoggedResult:
    """A result by its id; `ranks` says where each channel had it, from 1."""

    id: UUID
    kind: str
    rank: int
    tokens: int
    final: float
    ranks: Mapping[Channel, int]

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": str(self.id),
            "kind": self.kind,
            "rank": self.rank,
            "tokens": self.tokens,
            "final": self.final,
            "ranks": {str(channel): rank for channel, rank in self.ranks.items()},
        }


@dataclass(frozen=True)
class RecallEntry:
    recall_id: UUID
    tenant_id: UUID
    records: tuple[RecallRecord, ...]
    usage: UsageRecord | None  # None: whoever asked for the recall counts it

    def find_record(self, bank: Bank) -> RecallRecord | None:
        return next((record for record in self.records if record.bank_id == bank.id), None)


@dataclass(frozen=True)
class Call:
    """Which recall it was, when it came, how long it took and what for."""

    recall_id: UUID
    recalled_at: datetime
    milliseconds: float
    purpose: str = RecallRecord.Purpose.RECALL


def build_entry(banks: Sequence[Bank], query: RecallQuery, result: RecallResult, call: Call) -> RecallEntry:
    """A trace names memories of every bank that was asked, so it stands in no record of a call across several."""
    shared = {
        "tenant_id": banks[0].tenant_id,
        "recall_id": call.recall_id,
        "recalled_at": call.recalled_at,
        "purpose": call.purpose,
        "query": clean_query(query.text),
        "query_type": result.analysis.type.value,
        "milliseconds": {"total": call.milliseconds, **result.milliseconds},
        "left_out": [{"channel": one.channel.value, "reason": one.reason} for one in result.left_out],
        "trace": result.trace if len(banks) == 1 else None,
    }
    ranked = list(enumerate(result.items, 1))
    records = tuple(
        build_record(bank, [(rank, item) for rank, item in ranked if item.bank_id == bank.bank_id], shared)
        for bank in banks
    )
    bank_id = banks[0].bank_id if len(banks) == 1 else ""
    usage = None
    if call.purpose == RecallRecord.Purpose.RECALL:
        usage = build_usage(result.usage, bank_id=bank_id, memories=len(result.items))
    return RecallEntry(call.recall_id, banks[0].tenant_id, records, usage)


def build_record(bank: Bank, ranked: Sequence[tuple[int, RecallItem]], shared: Mapping[str, Any]) -> RecallRecord:
    results = [build_result(rank, item).as_dict() for rank, item in ranked]
    return RecallRecord(bank=bank, results=results, tokens=sum(item.tokens for _, item in ranked), **shared)


def build_result(rank: int, item: RecallItem) -> LoggedResult:
    places = item.scores.places
    ranks = {channel: place.rank for channel, place in places.items()}
    return LoggedResult(item.candidate.id, item.candidate.kind, rank, item.tokens, item.scores.final, ranks)


def read_results(record: RecallRecord) -> list[LoggedResult]:
    return [
        LoggedResult(
            UUID(one["id"]),
            one["kind"],
            one["rank"],
            one["tokens"],
            one["final"],
            {Channel(channel): rank for channel, rank in one["ranks"].items()},
        )
        for one in record.results
    ]


def build_usage(usage: Usage, *, bank_id: str, memories: int) -> UsageRecord:
    return UsageRecord(
        kind=UsageRecord.Kind.RECALL,
        bank_id=bank_id,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        calls=usage.calls,
        estimated=usage.estimated,
        memories=memories,
    )
