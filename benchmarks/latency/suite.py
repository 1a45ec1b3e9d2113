"""`benchmark latency`: one client and eight, each budget, the service's own code and SQL, HTTP, and reflect."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from banks.enums import Network
from banks.models import Bank, MemoryUnit
from banks.retain.input import RetainItem
from banks.types import ExtractedFact
from benchmarks.latency.bank import build_questions, fill_bank
from benchmarks.latency.interface import list_interface_goals, measure_interface
from benchmarks.latency.reflecting import list_reflect_goals, measure_reflect
from benchmarks.latency.statements import record_recall, time_bare
from benchmarks.latency.timing import Asking, Timed, ask_at_once, time_one
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal, describe_goals
from benchmarks.tenant import make_access, retain_now
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from tenants.transactions import tenant_transaction

QUESTIONS = 100
CLIENTS = 8
WARM_UP = 5
REPLAYED = 20
FRESH = "The lighthouse keeper Ottoline Braithwaite repaired the brass zephyrometer."
FRESH_QUESTION = "Who repaired the brass zephyrometer?"


def run(options: Options) -> dict[str, Any]:
    access = make_access()
    bank, facts = fill_bank(access, options)
    texts = build_questions([fact.text for fact in facts], 5 * options.cut(QUESTIONS) + WARM_UP)
    for text in texts[:WARM_UP]:
        time_one(Asking(access, bank.bank_id), text)
    fifth = options.cut(QUESTIONS)
    parts = [texts[WARM_UP + place * fifth : WARM_UP + (place + 1) * fifth] for place in range(5)]
    single = measure_single(access, bank, parts, options)
    figures = single | measure_crowd(access, bank, parts[3], parts[4]) | measure_statements(access, bank, parts[0])
    figures |= measure_interface(access, bank, parts[2], options)
    figures |= measure_reflect(access, bank, parts[1], options)
    figures |= {"write_seen_at_once": sees_a_write(access, bank)}
    with tenant_transaction(access.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).count()
    return {"goals": describe_goals(list_goals(figures)), **figures, "settings": {"units": units}, "questions": fifth}


def measure_single(access: BankAccess, bank: Bank, parts: Sequence[Sequence[str]], options: Options) -> dict[str, Any]:
    low, mid = Asking(access, bank.bank_id), Asking(access, bank.bank_id, budget="mid")
    plain = Asking(access, bank.bank_id, rerank=False)
    twice = [(time_one(low, text), time_one(low, text)) for text in options.progress.over(parts[0], "low")]
    first, at_mid = [one for one, _ in twice], [time_one(mid, text) for text in options.progress.over(parts[1], "mid")]
    return {
        "latency_ms": summarise_stages(first),
        "mid_ms": summarise_stages(at_mid),
        "reranked_pairs": {
            "low": describe([one.pairs for one in first]),
            "mid": describe([one.pairs for one in at_mid]),
        },
        "without_reranking_ms": summarise_stages(
            [time_one(plain, text) for text in options.progress.over(parts[2], "without reranking")]
        ),
        "second_to_first": median(again.milliseconds / once.milliseconds for once, again in twice),
    }


def summarise_stages(timed: Sequence[Timed]) -> dict[str, dict[str, float]]:
    stages = dict.fromkeys(stage for one in timed for stage in one.stages)
    return {
        "total": describe([one.milliseconds for one in timed]),
        "own code and SQL": describe([one.own for one in timed]),
        **{stage: describe([one.stages.get(stage, 0.0) for one in timed]) for stage in stages},
    }


def measure_crowd(access: BankAccess, bank: Bank, alone: Sequence[str], crowd: Sequence[str]) -> dict[str, Any]:
    asking = Asking(access, bank.bank_id)
    one, many = ask_at_once(asking, alone, 1), ask_at_once(asking, crowd, CLIENTS)
    return {
        "one_client": {"per_second": one.per_second, **describe(one.milliseconds), "errors": one.errors},
        "eight_clients": {"per_second": many.per_second, **describe(many.milliseconds), "errors": many.errors},
        "throughput_ratio": many.per_second / one.per_second,
        "p95_ratio": describe(many.milliseconds)["p95"] / describe(one.milliseconds)["p95"],
    }


def measure_statements(access: BankAccess, bank: Bank, texts: Sequence[str]) -> dict[str, Any]:
    asking = Asking(access, bank.bank_id)
    ratios, counts = [], []
    for text in texts[:REPLAYED]:
        recorded = record_recall(bank, asking.build(text))
        counts.append(len(recorded.statements) + 1)  # the look-up of the bank
        ratios.append(recorded.seconds / time_bare(bank, recorded))
    return {"statements": max(counts), "sql_to_bare": median(ratios)}


def sees_a_write(access: BankAccess, bank: Bank) -> bool:
    query = replace(Asking(access, bank.bank_id).build(FRESH_QUESTION), fills=True)
    recall(access, [bank.bank_id], query)
    fact = ExtractedFact(FRESH, Network.WORLD, mentioned_at=datetime.now(UTC))
    retain_now(access, bank.bank_id, [RetainItem(datetime.now(UTC), facts=(fact,))])
    return any(item.text == FRESH for item in recall(access, [bank.bank_id], query).result.items)


def list_goals(figures: dict[str, Any]) -> list[Goal]:
    low = figures["latency_ms"]
    return [
        Goal("low: p50 ms", low["total"]["p50"], at_most=120),
        Goal("low: p95 ms", low["total"]["p95"], at_most=220),
        Goal("mid: p50 ms", figures["mid_ms"]["total"]["p50"], at_most=250),
        Goal("without reranking: p50 ms", figures["without_reranking_ms"]["total"]["p50"], at_most=35),
        Goal("own code and SQL at low: p50 ms", low["own code and SQL"]["p50"], at_most=40),
        Goal("SQL to the same statements bare", figures["sql_to_bare"], at_most=3),
        Goal("second identical query to the first", figures["second_to_first"], at_most=0.4),
        Goal("a write in between is seen", float(figures["write_seen_at_once"]), at_least=1),
        Goal("statements at low", figures["statements"], at_most=8),
        Goal("eight clients: errors", figures["eight_clients"]["errors"], at_most=0),
        Goal("eight clients: throughput to one client's", figures["throughput_ratio"], at_least=1),
        Goal("eight clients: p95 to one client's", figures["p95_ratio"], at_most=9),
        *list_interface_goals(figures),
        *list_reflect_goals(figures),
    ]
