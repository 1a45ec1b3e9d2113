"""Trains the embedder: contrastive on evidence, held near the stock model; then distils it to fewer layers."""

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from training.bert import DEVICE, Encoder, Texts, half_precision, pad, run_all
from training.first_stage import QUERY_PREFIX
from training.lists import TrainingList, batches

BARRED = -1e4


@dataclass(frozen=True)
class EmbedderSettings:
    """`anchor` weighs the distance from the stock model's vectors."""

    epochs: int = 6
    rate: float = 2e-5
    batch: int = 32
    negatives: int = 7
    temperature: float = 0.03
    anchor: float = 0.5
    seed: int = 7


def train_embedder(stock: Encoder, texts: Texts, lists: Sequence[TrainingList], settings: EmbedderSettings) -> Encoder:
    """Each step takes a batch of questions, with one piece of evidence and some negatives of each.

    All texts of the batch are negatives of all its questions, except those that may answer them.
    """
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    model = copy.deepcopy(stock).train()
    model.freeze_embeddings()
    optimizer, schedule = build_optimizer(model, settings.rate, settings.epochs * (len(lists) // settings.batch))
    for _ in range(settings.epochs):
        for batch in batches(lists, settings.batch, rng):
            chosen = [choose(one, settings.negatives, rng) for one in batch]
            questions = pad(texts.encode([QUERY_PREFIX + one.question.text for one in batch]))
            documents = pad(
                texts.encode(
                    [one.conversation.texts[i] for one, places in zip(batch, chosen, strict=True) for i in places]
                )
            )
            with half_precision():
                asked, read = model(**questions), model(**documents)
                with torch.no_grad():
                    asked_before, read_before = stock(**questions), stock(**documents)
            loss = compare(asked, read, batch, chosen, settings)
            loss = loss + settings.anchor * (
                2 - (asked * asked_before).sum(1).mean() - (read * read_before).sum(1).mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


def choose(one: TrainingList, negatives: int, rng: random.Random) -> list[int]:
    """One piece of evidence, then negatives, the higher candidates more often."""
    most = min(len(one.negatives), 4 * negatives)
    taken = rng.sample(one.negatives[:most], min(negatives, most))
    return [rng.choice(one.positives), *taken]


def compare(
    asked: Tensor, read: Tensor, batch: Sequence[TrainingList], chosen: Sequence[list[int]], settings: EmbedderSettings
) -> Tensor:
    owners = [(row, index) for row, places in enumerate(chosen) for index in places]
    firsts, at = [], 0
    for places in chosen:
        firsts.append(at)
        at += len(places)
    logits = asked @ read.T / settings.temperature
    barred = torch.zeros_like(logits, dtype=torch.bool)
    for row, one in enumerate(batch):
        may_answer = one.question.excluded | set(one.question.evidence)
        for column, (owner, index) in enumerate(owners):
            same = batch[owner].conversation.name == one.conversation.name
            if column != firsts[row] and same and index in may_answer:
                barred[row, column] = True
    targets = torch.tensor(firsts, device=logits.device)
    return nn.functional.cross_entropy(logits.masked_fill(barred, BARRED), targets)


def distil_embedder(
    teacher: Encoder, texts: Texts, corpus: Sequence[str], *, layers: Sequence[int], epochs: int, rate: float = 3e-4
) -> Encoder:
    """A student with some of the teacher's layers learns the teacher's vector of each text of the corpus."""
    torch.manual_seed(7)
    student = teacher.cut(layers).train()
    student.freeze_embeddings()
    encoded = texts.encode(corpus)
    wanted = run_all(teacher, encoded)
    order = sorted(range(len(encoded)), key=lambda index: len(encoded[index][0]))
    size = 256 if DEVICE == "cuda" else 8
    groups = [order[start : start + size] for start in range(0, len(order), size)]
    optimizer, schedule = build_optimizer(student, rate, epochs * len(groups))
    rng = random.Random(7)
    for _ in range(epochs):
        rng.shuffle(groups)
        for group in groups:
            with half_precision():
                found = student(**pad([encoded[index] for index in group]))
            goal = wanted[torch.tensor(group, device=wanted.device)]
            # The vectors themselves, and the cosines between the texts of the batch.
            loss = (1 - (found * goal).sum(1)).mean() + 5 * ((found @ found.T) - (goal @ goal.T)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return student.eval()


def build_optimizer(model: Encoder, rate: float, steps: int) -> tuple[torch.optim.Optimizer, LambdaLR]:
    """AdamW, with a tenth of the steps to warm up and a linear descent after it."""
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=rate, weight_decay=0.01)
    warm = max(1, steps // 10)
    return optimizer, LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
