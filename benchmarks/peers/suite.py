"""`benchmark peers`: quality and speed of several memories on the same questions, one after the other in one run."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from django.db import connections

from benchmarks.options import Options
from benchmarks.peers.stores import MOST, Peer, opened_peers
from benchmarks.recall.cases import Asked, Case
from benchmarks.recall.locomo_data import APART, AUDIT, read_locomo
from benchmarks.recall.metrics import measure_turns
from benchmarks.recall.questions import forget_answers
from benchmarks.recall.summary import describe
from benchmarks.tenant import make_access
from providers.registry import get_embedder, get_reranker

CUTS = (5, 10, 25, 50)
CLIENTS = 8


@dataclass
class Measured:
    turns: int = 0
    seconds: float = 0.0  # to store them
    found: list[dict[str, float]] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    with_clients: list[float] = field(default_factory=list)


def run(options: Options) -> dict[str, Any]:
    """`limit` is the number of questions per conversation."""
    path = options.require("locomo*.json", "*.json", without=AUDIT)
    cases = [choose_questions(case, options) for case in read_locomo(path, None)]
    access = make_access(keep=options.keep)
    with opened_peers(access, options.peers.hindsight_url, os.environ.get("HINDSIGHT_API_KEY", "")) as peers:
        measured = {peer.name: Measured() for peer in peers}
        for case in options.progress.over(cases, "conversations"):
            for peer in peers:
                measure(peer, case, measured[peer.name])
    settings = {"embedder": get_embedder().model_id, "reranker": get_reranker().model_id, "results": MOST}
    questions = sum(len(case.questions) for case in cases)
    return {
        "peers": [summarise(name, one, is_kept=options.keep) for name, one in measured.items()],
        "settings": settings,
        "questions": questions,
    }


def choose_questions(case: Case, options: Options) -> Case:
    asked = [question for question in case.questions if question.type != APART]
    return replace(case, questions=tuple(asked[: options.cut(len(asked))]))


def measure(peer: Peer, case: Case, measured: Measured) -> None:
    started = perf_counter()
    peer.fill(case)
    measured.seconds += perf_counter() - started
    measured.turns += len(case.turns)
    known = case.by_key.keys()
    forget_answers()
    for question in case.questions:
        started = perf_counter()
        found = peer.search(case, question)
        measured.milliseconds.append((perf_counter() - started) * 1000)
        measured.found.append(measure_turns(found, question.evidence & known))
    forget_answers()
    measured.with_clients += ask_at_once(peer, case)


def ask_at_once(peer: Peer, case: Case) -> list[float]:
    """Each of the clients asks its next question as soon as the last is answered."""

    def ask(question: Asked) -> float:
        started = perf_counter()
        try:
            peer.search(case, question)
            return (perf_counter() - started) * 1000
        finally:
            connections.close_all()

    with ThreadPoolExecutor(CLIENTS) as callers:
        return list(callers.map(ask, case.questions))


def summarise(name: str, measured: Measured, *, is_kept: bool) -> dict[str, Any]:
    """With kept banks nothing is said about storing: this service stored nothing."""
    alone, crowd = describe(measured.milliseconds), describe(measured.with_clients)
    stored = {} if is_kept else {"turns stored a second": round(measured.turns / measured.seconds, 1)}
    return {
        "memory": name,
        **{f"R@{cut}": round(100 * mean([one[f"recall@{cut}"] for one in measured.found]), 1) for cut in CUTS},
        "p50 ms": alone["p50"],
        "p95 ms": alone["p95"],
        f"p50 ms, {CLIENTS} clients": crowd["p50"],
        f"p95 ms, {CLIENTS} clients": crowd["p95"],
        **stored,
    }


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
