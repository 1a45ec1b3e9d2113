"""Retaining several runs of the same extraction in one bank: the number of rows, and the merged wordings."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from banks.models import Bank, MemoryUnit, UnitSource
from banks.retain.input import RetainItem
from banks.types import ExtractedFact
from benchmarks.options import Options
from benchmarks.progress import in_batches
from benchmarks.ready_facts import read_extracted
from benchmarks.report import Goal
from benchmarks.tenant import make_access, make_bank, retain_now
from memoryplatform.operations.access import BankAccess
from tenants.transactions import tenant_transaction

FACTS_A_CALL = 200
PAIRS_SHOWN = 50
SEED = 20_260_101


def measure_duplicates(options: Options) -> tuple[dict[str, Any], list[Goal]] | None:
    path = options.find("hindsight-extracted*.jsonl*")
    if path is None:
        return None
    rows = read_extracted(path)
    facts = rows[: options.cut(len(rows))]
    access = make_access()
    bank = make_bank(access, "duplicates")
    retain_all(access, bank, facts, options, label="near duplicates, first time")
    once = count_units(bank)
    pairs = list_merged(bank)
    retain_all(access, bank, facts, options, label="near duplicates, second time")
    twice = count_units(bank)
    figures = {
        "rows": len(facts),
        "distinct_texts": len({fact.text for fact in facts}),
        "units": once,
        "units_after_the_second_time": twice,
        "merged_wordings": len(pairs),
        "merged_sample": draw_sample(pairs),
    }
    return figures, [Goal("the same file twice: units added", twice - once, at_most=0)]


def retain_all(access: BankAccess, bank: Bank, facts: Sequence[ExtractedFact], options: Options, *, label: str) -> None:
    """Without a document id, so that the second run is a second source and not an upsert."""
    for batch in options.progress.over(in_batches(facts, FACTS_A_CALL), label):
        told = tuple(replace(fact, quotes=()) for fact in batch)
        retain_now(access, bank.bank_id, [RetainItem(told[0].mentioned_at, facts=told)])


def count_units(bank: Bank) -> int:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).count()


def list_merged(bank: Bank) -> list[dict[str, str]]:
    """Each unit with the other wordings of its sources."""
    with tenant_transaction(bank.tenant_id):
        rows = UnitSource.objects.for_tenant(bank.tenant_id).exclude(chunk=None)
        told = rows.order_by("id").values_list("unit__text", "chunk__text", "start", "end")
        pairs = {(text, chunk[start:end]) for text, chunk, start, end in told if chunk[start:end] != text}
    return [{"unit": text, "told_again_as": other} for text, other in sorted(pairs)]


def draw_sample(pairs: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    rng = random.Random(SEED)  # noqa: S311  # repeatable, no secret
    return rng.sample(pairs, min(PAIRS_SHOWN, len(pairs)))
