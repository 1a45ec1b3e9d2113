from collections.abc import Callable, Iterable
from dataclasses import dataclass

from banks.entities.types import Decision
from benchmarks.entity_resolution.judging import identify
from benchmarks.entity_resolution.pair import Pair


@dataclass(frozen=True)
class Counts:
    right: int = 0
    wrong: int = 0
    missed: int = 0
    refused: int = 0
    asked: int = 0
    pairs: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.missed, 1)

    @property
    def f_half(self) -> float:
        return 1.25 * self.precision * self.recall / max(0.25 * self.precision + self.recall, 1e-9)

    def as_dict(self) -> dict[str, float]:
        return {
            "pairs": self.pairs,
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "asked": round(self.asked / max(self.pairs, 1), 4),
        }


def count(pairs: Iterable[Pair], judge: Callable[[Pair], Decision]) -> Counts:
    right = wrong = missed = refused = asked = judged = 0
    for pair in pairs:
        decision = judge(pair)
        merged, hit = decision.verdict == "same", decision.entity_id == identify(pair.other)
        asked += decision.verdict == "ask"
        right += pair.same and merged and hit
        wrong += merged and not (pair.same and hit)
        missed += pair.same and not (merged and hit)
        refused += not pair.same and not merged
        judged += 1
    return Counts(right, wrong, missed, refused, asked, judged)
