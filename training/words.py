"""Trains vectors of words: each word of a question looks for the nearest word of a text (late interaction).

The teacher is a ColBERT of twelve layers. The student is the embedder: one run gives the vector of a text, which stays
near what it was, and the vectors of its words.
"""

import copy
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from training.bert import DEVICE, HIDDEN, Encoder, Texts, group_by_length, half_precision, pad
from training.embedder import WARM, group_at_random, take
from training.first_stage import QUERY_PREFIX, Pool, recall_at
from training.lists import TrainingList, batches
from training.reranker import compare

FAR = -9.0  # below every cosine
SCALE = 50.0  # of a mean cosine, to become a logit
FUSION = 60  # of reciprocal ranks
Batch = dict[str, Tensor]


class WordEncoder(nn.Module):
    """An encoder with a head that makes a short vector of each token's last state."""

    def __init__(self, encoder: Encoder, *, size: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(HIDDEN, size, bias=False).to(DEVICE)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The vectors of the tokens, and the vector of the text."""
        states = self.encoder.bert(**batch).last_hidden_state
        words = nn.functional.normalize(self.head(states).float(), dim=-1)
        return words, nn.functional.normalize(states[:, 0].float(), dim=-1)


def count_prefix(texts: Texts) -> int:
    """Tokens between the first one and those of a question."""
    return len(texts.encode([QUERY_PREFIX.strip()])[0][0]) - 2


def leave_out(batch: Batch, prefix: int) -> Batch:
    return {name: torch.cat([rows[:, :1], rows[:, 1 + prefix :]], 1) for name, rows in batch.items()}


@torch.no_grad()
def encode_words(model: WordEncoder, texts: Texts, written: Sequence[str], *, prefix: int = 0) -> list[Tensor]:
    """The vectors of each text's words, without those of the prefix, the first token and the last."""
    model.eval()
    encoded = texts.encode(written)
    found: list[Tensor] = [torch.empty(0)] * len(encoded)
    for group in group_by_length(encoded):
        with half_precision():
            words, _ = model(pad([encoded[index] for index in group]))
        for row, index in enumerate(group):
            found[index] = words[row, 1 + prefix : len(encoded[index][0]) - 1].half()
    return found


def score_texts(asked: Tensor, read: Sequence[Tensor]) -> Tensor:
    """The mean over the question's words of the highest cosine with a word of each text."""
    padded = nn.utils.rnn.pad_sequence(list(read), batch_first=True).float()
    lengths = torch.tensor([len(one) for one in read], device=padded.device)
    is_word = torch.arange(padded.shape[1], device=padded.device)[None] < lengths[:, None]
    cosines = torch.einsum("qd,nld->nql", asked.float(), padded).masked_fill(~is_word[:, None], FAR)
    return cosines.amax(2).mean(1)


def start_head(model: WordEncoder, texts: Texts, sample: Sequence[str]) -> None:
    """The head begins as the principal components of the states, which keep most of each cosine."""
    with torch.no_grad():
        states = torch.cat(
            [model.encoder.bert(**pad([one])).last_hidden_state[0].float() for one in texts.encode(sample)]
        )
        states = nn.functional.normalize(states, dim=-1)
        _, components = torch.linalg.eigh(states.T @ states / len(states))
        model.head.weight.copy_(components[:, -model.head.out_features :].T)


@dataclass(frozen=True)
class WordSettings:
    """`order` weighs the stock reranker's order of the same texts, `hold` the vectors of texts."""

    seconds: float = 60
    rate: float = 2e-5
    batch: int = 16
    positives: int = 3
    negatives: int = 16
    order: float = 0.15
    hold: float = 3.0
    seed: int = 7


def tune_words(
    model: WordEncoder, texts: Texts, lists: Sequence[TrainingList], settings: WordSettings, *, prefix: int
) -> WordEncoder:
    """Listwise on evidence, for a number of seconds. The vectors of texts stay near those of the given model."""
    rng = random.Random(settings.seed)
    before = copy.deepcopy(model.encoder).eval()
    learner = Learner(model, rate=settings.rate, seconds=settings.seconds)
    for few in repeat_batches(lists, settings.batch, rng):
        if learner.is_over():
            break
        chosen = [
            (
                rng.sample(one.positives, min(settings.positives, len(one.positives))),
                rng.sample(one.negatives, min(settings.negatives, len(one.negatives))),
            )
            for one in few
        ]
        written = [
            one.conversation.texts[index]
            for one, (positives, negatives) in zip(few, chosen, strict=True)
            for index in (*positives, *negatives)
        ]
        questions = pad(texts.encode([QUERY_PREFIX * bool(prefix) + one.question.text for one in few]))
        documents = pad(texts.encode(written))
        with half_precision():
            asked, asked_vectors = model(questions)
            read, read_vectors = model(documents)
            with torch.no_grad():
                goals = before(**questions), before(**documents)
        kept = (asked_vectors * goals[0]).sum(1).mean() + (read_vectors * goals[1]).sum(1).mean()
        losses, at = [], 0
        for row, (one, (positives, negatives)) in enumerate(zip(few, chosen, strict=True)):
            end = at + len(positives) + len(negatives)
            own = [
                words[1 : int(mask.sum()) - 1]
                for words, mask in zip(read[at:end], documents["attention_mask"][at:end], strict=True)
            ]
            question = asked[row, 1 + prefix : int(questions["attention_mask"][row].sum()) - 1]
            logits = SCALE * score_texts(question, own)
            goal = torch.tensor([one.scores[index] for index in (*positives, *negatives)], device=DEVICE)
            losses.append(compare(logits, len(positives)) + settings.order * diverge(logits, goal / 2))
            at = end
        learner.step(torch.stack(losses).mean() + settings.hold * (2 - kept))
    return model.eval()


def repeat_batches(lists: Sequence[TrainingList], size: int, rng: random.Random) -> Iterator[list[TrainingList]]:
    if not lists:
        raise ValueError("There are no lists to learn from.")
    while True:
        yield from batches(lists, min(size, len(lists)), rng)


def diverge(logits: Tensor, goal: Tensor) -> Tensor:
    return nn.functional.kl_div(logits.log_softmax(0), goal.softmax(0), reduction="sum")


@dataclass(frozen=True)
class DistilWordsSettings:
    """Every sixth batch has questions. `hold` weighs the vector of a text."""

    seconds: float = 300
    rate: float = 7e-4
    tokens: int = 32_768
    hold: float = 3.0
    questions: int = 6
    seed: int = 7


def distil_words(
    teacher: WordEncoder,
    student: Encoder,
    texts: Texts,
    corpus: Sequence[str],
    questions: Sequence[str],
    settings: DistilWordsSettings,
) -> WordEncoder:
    """The student learns the teacher's vector of every word. Its vector of the text stays near what it is."""
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    model = WordEncoder(copy.deepcopy(student), size=teacher.head.out_features).train()
    model.encoder.freeze_embeddings()
    prefix = count_prefix(texts)
    read, asked = Corpus(texts, corpus), Corpus(texts, [QUERY_PREFIX + one for one in questions])
    groups = read.group(settings.tokens, rng), asked.group(settings.tokens // 2, rng)
    learner = Learner(model, rate=settings.rate, seconds=settings.seconds, warm=WARM)
    while not learner.is_over():
        is_question = learner.steps % settings.questions == settings.questions - 1
        batch = next(groups[is_question])
        with half_precision():
            with torch.no_grad():
                wanted, _ = teacher(leave_out(batch, prefix) if is_question else batch)
                vectors = student(**batch)
            found, own = model(batch)
        mask = batch["attention_mask"].bool()
        if is_question:
            found = torch.cat([found[:, :1], found[:, 1 + prefix :]], 1)
            mask = torch.cat([mask[:, :1], mask[:, 1 + prefix :]], 1)
        apart = (1 - (found * wanted).sum(-1))[mask].mean()
        learner.step(apart + settings.hold * (1 - (own * vectors).sum(1)).mean())
    return model.eval()


class Corpus:
    """Tokens of many texts, all on the device."""

    def __init__(self, texts: Texts, written: Sequence[str]) -> None:
        encoded = [ids for ids, _ in texts.encode(written)]
        self.lengths = np.array([len(ids) for ids in encoded])
        self.tokens = torch.tensor([token for ids in encoded for token in ids], device=DEVICE)
        self.ends = torch.from_numpy(self.lengths.cumsum()).to(DEVICE)

    def group(self, tokens: int, rng: np.random.Generator) -> Iterator[Batch]:
        for rows in group_at_random(self.lengths, tokens, rng):
            yield take(self.tokens, self.ends, rows, self.lengths)


class Learner:
    """AdamW for a number of seconds, because the time on a GPU is what is given."""

    def __init__(self, model: nn.Module, *, rate: float, seconds: float, warm: float = 0.1) -> None:
        self.model = model.train()
        self.rate, self.seconds, self.warm, self.steps = rate, seconds, warm, 0
        self.learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.AdamW(self.learnt, lr=rate, weight_decay=0.01)
        self.started = time.monotonic()

    @property
    def done(self) -> float:
        return (time.monotonic() - self.started) / self.seconds

    def is_over(self) -> bool:
        return self.done >= 1

    def step(self, loss: Tensor) -> None:
        rate = self.rate * min(1.0, self.done / self.warm) * max(0.0, 1 - self.done)
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = rate
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.learnt, 1.0)
        self.optimizer.step()
        self.steps += 1


def evaluate_words(model: WordEncoder, texts: Texts, pools: Sequence[Pool], *, prefix: int) -> list[float]:
    """R@5, R@10 and R@25 of the pools, ordered by reciprocal rank of their own order and that of the words."""
    rows = []
    for pool in pools:
        asked = pool.conversation.questions[pool.number]
        question = QUERY_PREFIX * bool(prefix) + asked.text
        read = encode_words(model, texts, [pool.conversation.texts[index] for index in pool.candidates])
        scores = score_texts(encode_words(model, texts, [question], prefix=prefix)[0], read).tolist()
        places = {place: rank for rank, place in enumerate(sorted(range(len(scores)), key=lambda one: -scores[one]))}
        fused = [1 / (FUSION + place) + 1 / (FUSION + places[place]) for place in range(len(scores))]
        order = [pool.candidates[place] for place in sorted(range(len(scores)), key=lambda one: -fused[one])]
        rows.append([recall_at(order, asked.evidence, k) for k in (5, 10, 25)])
    return [round(100 * float(value), 1) for value in np.mean(rows, axis=0)]
