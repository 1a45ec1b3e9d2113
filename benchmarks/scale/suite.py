"""`benchmark scale`: one bank that grows, and a database with many small banks.

The figures of one run are comparable with each other: goals are ratios to the smallest bank of the same run.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import psutil
from django.db import connection

from banks.enums import Network
from banks.models import Bank, Corpus
from banks.retain.input import RetainItem
from banks.types import ExtractedFact
from banks.vector_index.index import VectorIndex, drop_indexes, read_state
from benchmarks.latency.bank import build_questions
from benchmarks.latency.suite import summarise_stages
from benchmarks.latency.timing import Asking, ask_at_once, time_one
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal, describe_goals
from benchmarks.retain.storage import measure_storage
from benchmarks.scale.filling import SPAN, Filler, update_planner_statistics
from benchmarks.scale.importing import measure_import
from benchmarks.scale.material import Made, Material, embed_material, load_texts
from benchmarks.tenant import maintain_index, make_access, make_bank, retain_now
from memoryplatform.operations.access import BankAccess
from providers.registry import get_embedder
from retrieval.channels.semantic import KNOWN_INDEXES, find_nearest, read_nearest
from retrieval.filters.scope import build_scope
from retrieval.filters.types import Filters, Tags, TimeRange
from retrieval.types import AT_PRESENT
from tenants.identifiers import uuid7

CLIENTS = 8
WARM_UP = 5
TOP = 50
RETAINED_A_CALL = 100
RETAIN_CALLS = 2
MOST_AT_100K, MOST_AT_1M, MOST_OF_MANY = 2.0, 4.0, 1.3
LEAST_OVERLAP, LEAST_RETAIN = 0.97, 0.7
LARGE, LARGEST = 100_000, 1_000_000


def run(options: Options) -> dict[str, Any]:
    chosen, access = options.scale, make_access()
    held_back = len(chosen.steps) * RETAIN_CALLS * RETAINED_A_CALL
    texts = load_texts(options, chosen.sources + held_back)
    apart = min(held_back, len(texts) // 2)
    material = embed_material(texts[apart:], options)
    fresh = iter(vary(texts[:apart], held_back))
    report: dict[str, Any] = {"small_banks": measure_small_banks(access, material, options)} if chosen.banks else {}
    filler = Filler(make_bank(access, "scale"), material.make())
    sizes = [measure_size(access, filler, size, material, fresh, options) for size in chosen.steps]
    if chosen.imports:
        report["import"] = measure_import(access, material, options)
    goals = list_goals(sizes, report.get("small_banks"))
    settings = {"sources": len(material.texts), "recalls": chosen.recalls, "budget": "low", "clients": CLIENTS}
    tables = {"goals": describe_goals(goals), "settings": settings, "sizes": summarise(sizes)}
    return {**tables, "details": by_size(sizes), **report}


def vary(texts: Sequence[str], wanted: int) -> list[str]:
    """Texts for the retains, which no memory of the bank was made of; numbered where there are too few."""
    rounds = -(-wanted // len(texts))
    return [f"{text} ({turn})" if turn else text for turn in range(rounds) for text in texts][:wanted]


def measure_size(
    access: BankAccess, filler: Filler, size: int, material: Material, fresh: Iterator[str], options: Options
) -> dict[str, Any]:
    bank = filler.bank
    drop_indexes(bank.id)  # each size has indexes that were built at once, as after an import
    began = time.monotonic()
    before = filler.count
    filler.fill(size, options)
    filled = time.monotonic() - began
    update_planner_statistics()
    began = time.monotonic()
    maintain_index(access, bank)
    built = time.monotonic() - began
    indexed = read_state(VectorIndex(bank.id)).is_valid
    figures = {
        "memories": size,
        "rows_a_second": (size - before) / filled,
        "index_seconds": built if indexed else None,
        "recall": measure_recall(
            access, bank, build_questions(material.texts, count_questions(options), seed=size), options
        ),
        "vector_overlap": measure_overlap(bank, material, options),
        "storage": measure_storage(size),
        "process_megabytes": psutil.Process().memory_info().rss / 2**20,
    }
    return figures | {"retain": measure_retain(access, bank, fresh)}


def count_questions(options: Options) -> int:
    """New questions for each figure, so that no cache answers them."""
    return WARM_UP + (len(list_filters()) + 3) * options.scale.recalls


def measure_recall(access: BankAccess, bank: Bank, questions: Sequence[str], options: Options) -> dict[str, Any]:
    count, texts = options.scale.recalls, iter(questions)
    for text in islice(texts, WARM_UP):
        time_one(Asking(access, bank.bank_id), text)
    filters = {"no filter": Filters(), **list_filters()}
    figures: dict[str, Any] = {}
    for name, wanted in filters.items():
        asking = Asking(access, bank.bank_id, filters=wanted)
        asked = list(islice(texts, count))
        timed = [time_one(asking, text) for text in options.progress.over(asked, f"recall, {name}")]
        figures[name.replace(" ", "_")] = summarise_stages(timed)
    plain = Asking(access, bank.bank_id, rerank=False)
    figures["without_reranking"] = summarise_stages([time_one(plain, text) for text in islice(texts, count)])
    crowd = ask_at_once(Asking(access, bank.bank_id), list(islice(texts, count)), CLIENTS)
    figures["eight_clients"] = {
        "per_second": crowd.per_second,
        **describe(crowd.milliseconds),
        "errors": crowd.errors,
    }
    return figures


def list_filters() -> dict[str, Filters]:
    """A tag passes one memory of fifty, the network one of three, the time range one of ten."""
    now = datetime.now(UTC)
    return {
        "by tag": Filters(tags=Tags(("tag-7",), "any_strict")),
        "by network": Filters(networks=(Network.EXPERIENCE,)),
        "by time": Filters(mentioned=TimeRange(now - SPAN / 10, now)),
    }


def measure_overlap(bank: Bank, material: Material, options: Options) -> dict[str, float]:
    """The share of the exact nearest units that recall's vector search returns."""
    scope = build_scope(Filters(), AT_PRESENT)
    limits = {Corpus.UNIT: TOP}
    shares: list[float] = []
    exact_ms: list[float] = []
    for text in build_questions(material.texts, options.scale.exact):
        vector = get_embedder().embed_query(text).vector
        found = find_nearest(bank, vector, scope, limits=limits, within_seconds=None).of(Corpus.UNIT)
        began = time.perf_counter()
        exact = read_nearest(bank, vector, scope, limits, within_seconds=None).of(Corpus.UNIT)
        exact_ms.append((time.perf_counter() - began) * 1_000)
        shares.append(len({hit.id for hit in found} & {hit.id for hit in exact}) / max(1, len(exact)))
    connection.close()
    return {
        "mean": sum(shares) / len(shares),
        "least": min(shares),
        "by_index": float(VectorIndex(bank.id) in KNOWN_INDEXES),
        "exact_ms_p50": describe(exact_ms)["p50"],
    }


def measure_retain(access: BankAccess, bank: Bank, texts: Iterator[str]) -> dict[str, float]:
    """Ready facts through the whole retain, beside the embedder alone on the same texts."""
    retained = embedded = 0.0
    for _ in range(RETAIN_CALLS):
        batch = list(islice(texts, RETAINED_A_CALL))
        facts = tuple(ExtractedFact(text, Network.WORLD, mentioned_at=datetime.now(UTC)) for text in batch)
        began = time.monotonic()
        get_embedder().embed_documents(batch)
        embedded += time.monotonic() - began
        began = time.monotonic()
        retain_now(access, bank.bank_id, [RetainItem(datetime.now(UTC), facts=facts)])
        retained += time.monotonic() - began
    facts_retained = RETAIN_CALLS * RETAINED_A_CALL
    return {
        "facts_a_second": facts_retained / retained,
        "embedder_alone": facts_retained / embedded,
        "share": embedded / retained,
    }


def measure_small_banks(access: BankAccess, material: Material, options: Options) -> dict[str, Any]:
    """Recall in one bank while it is alone, and in random ones of many."""
    chosen, made = options.scale, material.make()
    alone = make_small_banks(access, made, 1, options)
    warm_up = max(WARM_UP, chosen.recalls)  # the bank that is alone comes first, and pays for cold caches otherwise
    questions = iter(build_questions(material.texts, warm_up + 2 * chosen.recalls))
    update_planner_statistics()
    for text in islice(questions, warm_up):
        time_one(Asking(access, alone[0]), text)
    first = [time_one(Asking(access, alone[0]), text) for text in islice(questions, chosen.recalls)]
    began = time.monotonic()
    names = make_small_banks(access, made, chosen.banks - 1, options)
    seconds = time.monotonic() - began
    update_planner_statistics()
    step = max(1, len(names) // chosen.recalls)
    asked = zip(questions, (names * chosen.recalls)[::step], strict=False)
    many = [time_one(Asking(access, name), text) for text, name in asked]
    one_ms, many_ms = summarise_stages(first), summarise_stages(many)
    return {
        "banks": chosen.banks,
        "memories_a_bank": chosen.bank_size,
        "banks_a_second": len(names) / seconds,
        "one_bank_ms": one_ms,
        "one_of_many_ms": many_ms,
        "p95_ratio": many_ms["total"]["p95"] / one_ms["total"]["p95"],
        "p50_ratio": many_ms["total"]["p50"] / one_ms["total"]["p50"],
    }


def make_small_banks(access: BankAccess, made: Iterator[Made], count: int, options: Options) -> list[str]:
    names = [f"small-{uuid7().hex}" for _ in range(count)]
    for name in options.progress.over(names, f"{count} small banks"):
        Filler(make_bank(access, name), made).fill(options.scale.bank_size)
    return names


def summarise(sizes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "memories": one["memories"],
            "p50 ms": one["recall"]["no_filter"]["total"]["p50"],
            "p95 ms": one["recall"]["no_filter"]["total"]["p95"],
            "own code and SQL p50": one["recall"]["no_filter"]["own code and SQL"]["p50"],
            "by tag p95": one["recall"]["by_tag"]["total"]["p95"],
            "by time p95": one["recall"]["by_time"]["total"]["p95"],
            "8 clients p95": one["recall"]["eight_clients"]["p95"],
            "overlap": one["vector_overlap"]["mean"],
            "index s": one["index_seconds"],
            "kB a memory": one["storage"]["kilobytes_a_fact"],
            "retain a second": one["retain"]["facts_a_second"],
        }
        for one in sizes
    ]


def by_size(sizes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {f"{one['memories']}_memories": one for one in sizes}


def list_goals(sizes: Sequence[dict[str, Any]], small: dict[str, Any] | None) -> list[Goal]:
    p95 = {one["memories"]: one["recall"]["no_filter"]["total"]["p95"] for one in sizes}
    rate = {one["memories"]: one["retain"]["share"] for one in sizes}
    least = min(p95)
    goals = [
        Goal(f"p95 at {size} to p95 at {least}", p95[size] / p95[least] if size in p95 else None, at_most=most)
        for size, most in ((LARGE, MOST_AT_100K), (LARGEST, MOST_AT_1M))
    ]
    goals += [
        Goal(
            f"top {TOP} of the vector search at {one['memories']}",
            one["vector_overlap"]["mean"],
            at_least=LEAST_OVERLAP,
        )
        for one in sizes
    ]
    last = max(rate)
    ratio = rate[last] / rate[least] if last > least else None
    goals.append(
        Goal(f"retain at {last} to retain at {least}, as shares of the embedder", ratio, at_least=LEAST_RETAIN)
    )
    errors = sum(one["recall"]["eight_clients"]["errors"] for one in sizes)
    goals.append(Goal("eight clients: errors", errors, at_most=0))
    many = None if small is None else small["p95_ratio"]
    return [*goals, Goal("recall in one of many banks to one bank alone, p95", many, at_most=MOST_OF_MANY)]
