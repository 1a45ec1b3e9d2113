"""Throughput of ready facts, compared with the embedder alone on the same texts, in a small and in a large bank."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from banks.models import Bank, MemoryUnit
from banks.retain.document_versions import DocumentVersion
from banks.retain.input import RetainItem
from banks.retain.ready_facts import FactsJob, archive_facts, retain_facts
from banks.retain.tools import Tools
from banks.types import ExtractedFact
from benchmarks.options import Options
from benchmarks.progress import in_batches
from benchmarks.ready_facts import read_notes
from benchmarks.report import Goal
from benchmarks.retain.recombined import RecombiningEmbedder, recombine
from benchmarks.retain.storage import measure_storage
from benchmarks.tenant import maintain_index, make_access, make_bank, retain_now
from memoryplatform.operations.access import BankAccess
from providers.embedding.protocol import Embedder
from providers.registry import get_embedder
from rules.engine import BuiltinEngine
from tenants.transactions import tenant_transaction

LATE = 100_000
EARLY = 1_000
WINDOW = 500  # facts per window
FACTS_A_CALL = 200
FILLED_AT_ONCE = 1_000
LEAST_SHARE, LEAST_LATE = 0.5, 0.4
MOST_KILOBYTES = 12.0


@dataclass(frozen=True)
class Scale:
    """The bank sizes at which the two windows begin, and the number of facts in each."""

    early: int
    late: int
    window: int


@dataclass(frozen=True)
class Rates:
    """Facts per second, and the rate of the embedder alone on the same texts."""

    retained: float
    embedded: float

    @property
    def share(self) -> float:
        return self.retained / self.embedded

    def as_dict(self) -> dict[str, float]:
        return {"facts_a_second": self.retained, "embedder_alone": self.embedded, "share": self.share}


def measure_throughput(options: Options) -> tuple[dict[str, Any], list[Goal]] | None:
    path = options.find("longmemeval-notes*.jsonl*")
    if path is None:
        return None
    scale = choose_scale(options.cut(LATE))
    access, embedder = make_access(), get_embedder()
    bank = make_bank(access, "throughput")
    early, late, rest = split(read_notes(path), scale)
    filler = Filler(access, bank, options, build_filling(embedder, rest, options))
    filler.fill(scale.early - scale.window // 2)
    first = measure_window(access, bank, embedder, early, options, label="throughput, early")
    filler.fill(scale.late - scale.window // 2)
    last = measure_window(access, bank, embedder, late, options, label="throughput, late")
    storage = measure_storage(filler.count())
    figures = {
        f"around_{scale.early}": first.as_dict(),
        f"around_{scale.late}": last.as_dict(),
        "late_to_early": last.retained / first.retained,
        "late_to_early_by_share": last.share / first.share,
        "storage": storage,
    }
    return figures, [
        Goal("ready facts: share of the embedder's speed", first.share, at_least=LEAST_SHARE),
        Goal(f"rate around {scale.late} to that around {scale.early}", last.share / first.share, at_least=LEAST_LATE),
        Goal("storage: kilobytes a fact", storage["kilobytes_a_fact"], at_most=MOST_KILOBYTES),
    ]


def choose_scale(late: int) -> Scale:
    window = min(WINDOW, late // 4)
    return Scale(min(EARLY, late // 2), late, window)


def split(
    facts: Sequence[ExtractedFact], scale: Scale
) -> tuple[Sequence[ExtractedFact], Sequence[ExtractedFact], Sequence[ExtractedFact]]:
    """Two windows with alternate facts, and the facts that fill the bank between them."""
    drawn = min(2 * scale.window, len(facts) // 2)
    return facts[:drawn:2], facts[1:drawn:2], facts[drawn : drawn + max(2, 2 * scale.window)]


def measure_window(
    access: BankAccess, bank: Bank, embedder: Embedder, facts: Sequence[ExtractedFact], options: Options, *, label: str
) -> Rates:
    """Measure retain and the embedder alternately, so that other load slows both."""
    retained = embedded = 0.0
    for batch in options.progress.over(in_batches(facts, FACTS_A_CALL), label):
        embedded += stop_time(embedder.embed_documents, [fact.text for fact in batch])
        item = RetainItem(batch[0].mentioned_at, facts=tuple(batch))
        retained += stop_time(partial(retain_now, access, bank.bank_id), [item])
    return Rates(len(facts) / retained, len(facts) / embedded)


def stop_time(call: Any, argument: Any) -> float:
    began = time.monotonic()
    call(argument)
    return time.monotonic() - began


def build_filling(
    embedder: Embedder, facts: Sequence[ExtractedFact], options: Options
) -> tuple[RecombiningEmbedder, Iterator[ExtractedFact]]:
    filling = RecombiningEmbedder(embedder)
    for batch in options.progress.over(in_batches(facts, FACTS_A_CALL), "vectors to fill with"):
        vectors = embedder.embed_documents([fact.text for fact in batch]).vectors
        filling.known.update(zip((fact.text for fact in batch), vectors, strict=True))
    return filling, recombine(facts, filling)


@dataclass(frozen=True, eq=False)
class Filler:
    """Fills the bank up to a size with the code that stores ready facts, without operations."""

    access: BankAccess
    bank: Bank
    options: Options
    filling: tuple[RecombiningEmbedder, Iterator[ExtractedFact]]

    def fill(self, size: int) -> None:
        embedder, facts = self.filling
        wanted = list(islice(facts, max(0, size - self.count())))
        tools = Tools(
            BuiltinEngine(),
            embedder,
            lambda: tenant_transaction(self.access.tenant_id),
        )
        for batch in self.options.progress.over(in_batches(wanted, FILLED_AT_ONCE), f"filling up to {size}"):
            self.store(batch, tools)
            maintain_index(self.access, self.bank)

    def store(self, facts: Sequence[ExtractedFact], tools: Tools) -> None:
        with tenant_transaction(self.access.tenant_id):
            archived = archive_facts(self.bank, RetainItem(facts[0].mentioned_at, facts=tuple(facts)))
        version = DocumentVersion(self.bank, archived.document.id, archived.document.version)
        retain_facts(FactsJob(version, archived.chunks), tools)

    def count(self) -> int:
        with tenant_transaction(self.access.tenant_id):
            return MemoryUnit.objects.of_bank(self.bank).count()
