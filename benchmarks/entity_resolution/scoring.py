"""Pairwise precision and recall of entity resolution on pairs of names whose truth is known by construction.

The pairs come from name lists, from variations made by rule, from short tables of names that are easily confused,
and, where its file is given, from LoCoMo's speakers and places. They are split by name: thresholds are chosen
on one half and reported on the other. Every pair is judged twice: alone, and with the right entity (if there is one)
hidden in a bank among its nearest distractors. A verdict of "ask" counts as "new", as it does without an LLM.
"""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from banks.entities.resolution.scoring import DEFAULT_THRESHOLDS
from benchmarks.entity_resolution.counts import count
from benchmarks.entity_resolution.judging import judge_alone, judge_in_bank
from benchmarks.entity_resolution.locomo import read_locomo
from benchmarks.entity_resolution.pair import Pair
from benchmarks.entity_resolution.people import make_first_names, make_people
from benchmarks.entity_resolution.things import make_things, read_tables

SEED = 20_260_101
AS_GOOD = 0.0005
WRITINGS = frozenset({"case", "possessive", "spaces and emoji", "diacritics", "article", "title", "legal form"})


def score_entity_resolution(locomo_path: Path | None) -> dict[str, object]:
    """The held-out figures with the shipped thresholds, and the threshold that the training half would choose."""
    pairs = build_pairs(locomo_path)
    training = [pair for pair in pairs if pair.is_training]
    held_out = [pair for pair in pairs if not pair.is_training]
    return {
        "alone": count(held_out, judge_alone).as_dict(),
        "in_bank": count(held_out, judge_in_bank(held_out)).as_dict(),
        "alone_without_mere_writings": count(
            [p for p in held_out if p.category not in WRITINGS], judge_alone
        ).as_dict(),
        "training_alone": count(training, judge_alone).as_dict(),
        "same_threshold": DEFAULT_THRESHOLDS.same,
        "same_threshold_of_training": choose_threshold(training),
        "by_category": by_category(held_out),
    }


def build_pairs(locomo_path: Path | None) -> list[Pair]:
    rng = random.Random(SEED)  # noqa: S311 - repeatable names, no secret
    made = [*make_people(rng), *make_first_names(rng), *make_things(rng), *read_tables()]
    if locomo_path is not None:
        made += read_locomo(json.loads(locomo_path.read_text()), rng)
    made = [pair for pair in made if pair.one != pair.other]
    return sorted(set(made), key=lambda pair: (pair.category, pair.one.text, pair.other.text))


def by_category(pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[f"{'same' if pair.same else 'other'}: {pair.category}"].append(pair)
    counted = {name: count(groups[name], judge_alone) for name in sorted(groups)}
    return {
        name: {"pairs": counts.pairs, "right": round((counts.right + counts.refused) / counts.pairs, 4)}
        for name, counts in counted.items()
    }


def choose_threshold(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The range of thresholds that are as good as the best by F0.5: a wrong merge costs more than a missed one."""
    worth: dict[float, float] = {}
    for same in (hundredth / 100 for hundredth in range(60, 90)):
        thresholds = replace(DEFAULT_THRESHOLDS, same=same)
        worth[same] = count(pairs, partial(judge_alone, thresholds=thresholds)).f_half
    good = [same for same, value in worth.items() if value >= max(worth.values()) - AS_GOOD]
    return min(good), max(good)
