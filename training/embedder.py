"""Trains the embedder: contrastive on evidence, held near the stock model; then distils it to fewer layers."""

import copy
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from training.bert import DEVICE, Encoded, Encoder, Texts, half_precision, pad, run_all
from training.first_stage import QUERY_PREFIX
from training.lists import TrainingList, batches

BARRED = -1e4
WARM = 0.04  # share of a student's time in which its rate rises


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


@dataclass(frozen=True)
class StudentSettings:
    """`states` weighs the states of all tokens after each layer, `cosines` those between the texts of a batch."""

    seconds: float = 178
    rate: float = 7e-4
    tokens: int = 32_768
    vectors: float = 2.0
    states: float = 0.3
    cosines: float = 5.0
    seed: int = 7


def distil_embedder(
    teacher: Encoder, texts: Texts, corpus: Sequence[str], *, layers: Sequence[int], settings: StudentSettings
) -> Encoder:
    """A student with some of the teacher's layers learns the teacher's states and its vector of each text.

    It learns for a number of seconds, because the time on a GPU is what is given. All tokens stay on the device.
    """
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    teacher.eval()
    student = teacher.cut(layers).train()
    student.freeze_embeddings()
    encoded = [ids for ids, _ in texts.encode(corpus)]
    lengths = np.array([len(ids) for ids in encoded])
    tokens = torch.tensor([token for ids in encoded for token in ids], device=DEVICE)
    ends = torch.from_numpy(lengths.cumsum()).to(DEVICE)
    learnt = [parameter for parameter in student.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=settings.rate, weight_decay=0.01)
    started = time.monotonic()
    for group in group_at_random(lengths, settings.tokens, rng):
        done = (time.monotonic() - started) / settings.seconds
        if done >= 1:
            break
        for parameters in optimizer.param_groups:
            parameters["lr"] = settings.rate * min(1.0, done / WARM) * (1 - done)
        batch = take(tokens, ends, group, lengths)
        with half_precision():
            with torch.no_grad():
                wanted = teacher.bert(**batch, output_hidden_states=True).hidden_states
            found = student.bert(**batch, output_hidden_states=True).hidden_states
        mask = batch["attention_mask"].bool()
        states = [
            (found[place + 1][mask].float() - wanted[layer + 1][mask].float()).pow(2).mean()
            for place, layer in enumerate(layers)
        ]
        vectors, goal = (nn.functional.normalize(one[-1][:, 0].float(), dim=-1) for one in (found, wanted))
        loss = settings.vectors * (1 - (vectors * goal).sum(1)).mean() + settings.states * torch.stack(states).mean()
        loss = loss + settings.cosines * ((vectors @ vectors.T) - (goal @ goal.T)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(learnt, 1.0)
        optimizer.step()
    return student.eval()


def group_at_random(lengths: np.ndarray, tokens: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Batches of similar length, other ones in each epoch, in random order, without end."""
    while True:
        order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(lengths)), kind="stable")
        groups, at = [], 0
        while at < len(order):
            size = max(1, int(tokens / (lengths[order[at]] * 1.15)))
            groups.append(order[at : at + size])
            at += size
        rng.shuffle(groups)
        yield from groups


def take(tokens: Tensor, ends: Tensor, group: np.ndarray, lengths: np.ndarray) -> dict[str, Tensor]:
    rows = torch.from_numpy(group).to(DEVICE)
    own = torch.from_numpy(lengths[group]).to(DEVICE)[:, None]
    places = torch.arange(int(lengths[group].max()), device=DEVICE)[None]
    mask = places < own
    ids = torch.where(mask, tokens[(ends[rows][:, None] - own + places).clamp(max=len(tokens) - 1)], 0)
    return {"input_ids": ids, "attention_mask": mask.long(), "token_type_ids": torch.zeros_like(ids)}


@torch.no_grad()
def match_cosines(model: Encoder, stock: Encoder, texts: Texts, sample: Sequence[str]) -> float:
    """Adds one vector to every result, so that the median cosine of two texts is that of the stock model.

    Bounds of cosines hold for both models then. The order of memories hardly changes: the vector is the mean of all.
    """
    encoded = texts.encode(sample)
    wanted = find_median_cosine(run_all(stock, encoded))
    states = run_states(model, encoded)
    mean = nn.functional.normalize(nn.functional.normalize(states, dim=-1).mean(0), dim=0) * states.norm(dim=1).mean()
    shares = [step / 100 for step in range(31)]
    share = min(shares, key=lambda one: abs(find_median_cosine(states + one * mean) - wanted))
    model.bert.encoder.layer[-1].output.LayerNorm.bias += share * mean
    return share


def run_states(model: Encoder, encoded: Encoded) -> Tensor:
    """The first token's state of each text, before it is normalised."""
    return torch.cat([model.bert(**pad([one])).last_hidden_state[:, 0].float() for one in encoded])


def find_median_cosine(vectors: Tensor) -> float:
    one = nn.functional.normalize(vectors, dim=-1)
    cosines = (one @ one.T)[~torch.eye(len(one), dtype=torch.bool, device=one.device)]
    return float(cosines.median())


def build_optimizer(model: Encoder, rate: float, steps: int) -> tuple[torch.optim.Optimizer, LambdaLR]:
    """AdamW, with a tenth of the steps to warm up and a linear descent after it."""
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=rate, weight_decay=0.01)
    warm = max(1, steps // 10)
    return optimizer, LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
