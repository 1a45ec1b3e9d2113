"""Makes the weights of the classifier from the training examples: `python -m protection.train`.

A logistic regression over the features of `protection.instructions`, fitted by Newton's method in the dual, where it
has one variable for each example. An attack of several sentences counts by the sentence that looks most like one, which
two further rounds choose. Nothing is random.

PENALTY and THRESHOLD were chosen by hand. A three-fold cross-validation on the training examples compared two penalties
(3e-5, 3e-4) and nine thresholds. At the chosen pair it gave a recall of 0.85, and a precision of 0.95 against the 309
look-alikes among the harmless texts. The share of flagged messages in two public sets of conversations was a second
criterion: docs/protection.md names them.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from protection.instructions import WEIGHTS, add_up, cut_windows, list_features, normalise
from protection.measure import read_examples

PENALTY = 3e-5
THRESHOLD = 0.5
LEAST_WEIGHT = 0.03  # a smaller one is left out of the file
LEAST_EXAMPLES = 2  # of a feature
ROUNDS = 3
Weights = dict[str, float]


def train(attacks: Sequence[str], harmless: Sequence[str]) -> Weights:
    negatives = [window for text in harmless for window in list_windows(text)]
    positives = list(attacks)
    weights: Weights = {}
    for _ in range(ROUNDS):
        weights = fit(positives, negatives)
        positives = [max(list_windows(text), key=lambda one: add_up(weights, one)) for text in attacks]
    return weights


def list_windows(text: str) -> list[str]:
    return [text[start:end] for start, end in cut_windows(text)] or [text]


def fit(positives: Sequence[str], negatives: Sequence[str]) -> Weights:
    """Both classes have the same weight in the loss."""
    examples = [list_features(normalise(text)) for text in (*positives, *negatives)]
    counts = Counter(feature for one in examples for feature in one)
    places = {name: at for at, name in enumerate(sorted(counts)) if counts[name] >= LEAST_EXAMPLES}
    matrix = np.zeros((len(examples), len(counts) + 1))
    matrix[:, -1] = 1.0  # the bias
    for row, features in enumerate(examples):
        known = [places[name] for name in features if name in places]
        matrix[row, known] = 1 / max(1.0, math.sqrt(len(features)))
    labels = np.repeat([1.0, 0.0], [len(positives), len(negatives)])
    shares = np.repeat([0.5 / len(positives), 0.5 / len(negatives)], [len(positives), len(negatives)])
    solution = matrix.T @ solve(matrix @ matrix.T, labels, shares)
    return {name: round(float(solution[at]), 3) for name, at in places.items()} | {"": round(float(solution[-1]), 3)}


def solve(kernel: np.ndarray, labels: np.ndarray, shares: np.ndarray) -> np.ndarray:
    dual = np.zeros(len(labels))
    for _ in range(30):
        likely = 1 / (1 + np.exp(-(kernel @ dual)))
        slope = shares * likely * (1 - likely) + 1e-12
        step = np.linalg.solve(
            slope[:, None] * kernel + PENALTY * np.eye(len(labels)), shares * (likely - labels) + PENALTY * dual
        )
        dual -= step
        if np.abs(step).max() < 1e-6:  # noqa: PLR2004  # converged
            break
    return dual


if __name__ == "__main__":
    learnt = train(read_examples("training_attacks"), read_examples("training_harmless"))
    learnt = {name: weight for name, weight in learnt.items() if abs(weight) >= LEAST_WEIGHT or not name}
    WEIGHTS.write_text(json.dumps({"threshold": THRESHOLD, "weights": learnt}, ensure_ascii=False, indent=0) + "\n")
    print(f"{len(learnt)} weights in {WEIGHTS.name}")  # noqa: T201
