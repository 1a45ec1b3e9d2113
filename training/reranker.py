"""Trains the reranker: listwise on evidence, kept near the stock model; then distils it to fewer layers."""

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from training.bert import Encoder, Texts, half_precision, pad
from training.embedder import build_optimizer
from training.first_stage import Pool
from training.lists import TrainingList, batches


@dataclass(frozen=True)
class RerankerSettings:
    """`anchor` weighs the divergence from the stock model's distribution over each list."""

    epochs: int = 3
    rate: float = 2e-5
    batch: int = 16
    positives: int = 3
    negatives: int = 16
    anchor: float = 0.3
    seed: int = 7


def train_reranker(stock: Encoder, texts: Texts, lists: Sequence[TrainingList], settings: RerankerSettings) -> Encoder:
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    model = copy.deepcopy(stock).train()
    model.freeze_embeddings()
    optimizer, schedule = build_optimizer(model, settings.rate, settings.epochs * (len(lists) // settings.batch))
    for _ in range(settings.epochs):
        for batch in batches(lists, settings.batch, rng):
            chosen = [choose(one, settings, rng) for one in batch]
            pairs = [
                (one.question.text, one.conversation.read(index))
                for one, (positives, negatives) in zip(batch, chosen, strict=True)
                for index in (*positives, *negatives)
            ]
            with half_precision():
                logits = model(**pad(texts.encode_pairs(pairs)))
            losses, at = [], 0
            for one, (positives, negatives) in zip(batch, chosen, strict=True):
                own = logits[at : at + len(positives) + len(negatives)]
                at += len(own)
                before = torch.tensor([one.scores[i] for i in (*positives, *negatives)], device=own.device)
                losses.append(compare(own, len(positives)) + settings.anchor * diverge(own, before))
            loss = torch.stack(losses).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


def choose(one: TrainingList, settings: RerankerSettings, rng: random.Random) -> tuple[list[int], list[int]]:
    positives = rng.sample(one.positives, min(settings.positives, len(one.positives)))
    negatives = rng.sample(one.negatives, min(settings.negatives, len(one.negatives)))
    return positives, negatives


def compare(logits: Tensor, positives: int) -> Tensor:
    """Each piece of evidence against the negatives, not against the other pieces."""
    below = logits[positives:].logsumexp(0)
    return torch.stack([torch.logaddexp(one, below) - one for one in logits[:positives]]).mean()


def diverge(logits: Tensor, goal: Tensor, temperature: float = 2.0) -> Tensor:
    return nn.functional.kl_div((logits / temperature).log_softmax(0), (goal / temperature).softmax(0), reduction="sum")


@dataclass(frozen=True)
class DistilSettings:
    epochs: int = 5
    rate: float = 2e-4
    batch: int = 32
    candidates: int = 20
    seed: int = 7


def distil_reranker(
    teacher: Encoder,
    texts: Texts,
    pools: Sequence[Pool],
    scores: Sequence[dict[int, float]],
    *,
    layers: Sequence[int],
    settings: DistilSettings,
) -> Encoder:
    """A student with some of the teacher's layers learns the teacher's logits of each pool, in order and in height."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    student = teacher.cut(layers).train()
    student.freeze_embeddings()
    steps = settings.epochs * (len(pools) // settings.batch)
    optimizer, schedule = build_optimizer(student, settings.rate, steps)
    order = list(range(len(pools)))
    for _ in range(settings.epochs):
        rng.shuffle(order)
        for start in range(0, len(order) - settings.batch + 1, settings.batch):
            rows = order[start : start + settings.batch]
            chosen = [rng.sample(list(scores[row]), min(settings.candidates, len(scores[row]))) for row in rows]
            pairs = [
                (pools[row].conversation.questions[pools[row].number].text, pools[row].conversation.read(index))
                for row, places in zip(rows, chosen, strict=True)
                for index in places
            ]
            with half_precision():
                logits = student(**pad(texts.encode_pairs(pairs)))
            losses, at = [], 0
            for row, places in zip(rows, chosen, strict=True):
                own = logits[at : at + len(places)]
                at += len(own)
                goal = torch.tensor([scores[row][index] for index in places], device=own.device)
                losses.append(diverge(own, goal) + 0.05 * (own - goal).pow(2).mean())
            loss = torch.stack(losses).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return student.eval()
