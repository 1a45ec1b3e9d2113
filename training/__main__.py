"""The steps of the training, one command each: `python -m training STEP --work FOLDER`. README.md says in which order."""

import argparse
import json
import pickle
import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch

from training.bert import DEVICE, Encoder, Texts, read_stock_model
from training.embedder import EmbedderSettings, distil_embedder, train_embedder
from training.evaluate import evaluate_embedder, evaluate_reranker, write_table
from training.first_stage import QUERY_PREFIX, build_pools, embed_conversations, score_pairs
from training.lists import build_lists, find_more_questions
from training.reranker import DistilSettings, RerankerSettings, distil_reranker, train_reranker
from training.sources import (
    Conversation,
    read_dictionary,
    read_locomo,
    read_longmemeval,
    read_training_sources,
    split,
)

STUDENT_LAYERS = {6: (1, 3, 5, 7, 9, 11), 4: (2, 5, 8, 11), 3: (3, 7, 11)}
PART = 15 * 2**20  # files that come back from a training machine may be limited in size


class Work:
    """The folder of one training: the stock models, the data, and what each step leaves for the next."""

    def __init__(self, folder: Path, *, limit: int | None) -> None:
        self.folder = folder
        self.limit = limit
        self.document_texts = Texts(folder / "embedder" / "tokenizer.json", most_tokens=256)
        self.pair_texts = Texts(folder / "reranker" / "tokenizer.json", most_tokens=288)

    def read_stock_embedder(self) -> Encoder:
        return read_stock_model(self.folder / "embedder" / "model.onnx", has_head=False).to(DEVICE).eval()

    def read_stock_reranker(self) -> Encoder:
        return read_stock_model(self.folder / "reranker" / "model.onnx", has_head=True).to(DEVICE).eval()

    @cache  # noqa: B019  there is one Work in a run
    def read_conversations(self) -> tuple[list[Conversation], list[Conversation]]:
        training, held = split(read_training_sources(self.folder / "data"))
        return self._cut(training), self._cut(held)

    @cache  # noqa: B019
    def read_evaluation_sets(self) -> dict[str, list[Conversation]]:
        data = self.folder / "data"
        held = self.read_conversations()[1]
        sets = {
            "locomo": read_locomo(data / "locomo-dev.json"),
            "longmemeval": read_longmemeval(data / "longmemeval-s-dev.json.xz")[::2],
            "dictionary": read_dictionary(data / "foldoc.dict.dz"),
        }
        for source in ("lifebench", "realmem", "qmsum", "ikat-ptkb"):
            sets[f"{source} held"] = [one for one in held if one.source == source]
        cut = {name: self._cut(conversations) for name, conversations in sets.items()}
        return {name: conversations for name, conversations in cut.items() if conversations}

    def _cut(self, conversations: list[Conversation]) -> list[Conversation]:
        """For a trial on a small machine: few conversations, few texts, few questions."""
        if self.limit is None:
            return conversations
        few = []
        for one in conversations[:: max(1, len(conversations) // 4)]:
            inside = tuple(
                replace(asked, candidates=min(asked.candidates, self.limit))
                for asked in one.questions
                if max(asked.evidence) < self.limit
            )
            few.append(replace(one, texts=one.texts[: self.limit], days=one.days[: self.limit], questions=inside[:2]))
        return [one for one in few if one.questions]

    def save(self, model: Encoder, name: str) -> None:
        """Without the embeddings, which no step changes."""
        kept = {key: value.half().cpu() for key, value in model.state_dict().items() if ".embeddings." not in key}
        torch.save({"layers": model.layers, "state": kept}, self.folder / f"{name}.pt")

    def load(self, name: str, stock: Encoder) -> Encoder:
        saved = torch.load(self.folder / f"{name}.pt", map_location="cpu", weights_only=True)
        model = stock.cut(range(saved["layers"]))
        model.load_state_dict({key: value.float() for key, value in saved["state"].items()}, strict=False)
        return model.to(DEVICE).eval()

    def dump(self, thing: object, name: str) -> None:
        (self.folder / f"{name}.pickle").write_bytes(pickle.dumps(thing))

    def fetch(self, name: str) -> object:
        return pickle.loads((self.folder / f"{name}.pickle").read_bytes())  # noqa: S301  written by `dump` beside it


def prepare(work: Work) -> None:
    """Pools of the stock embedder, the stock reranker's scores, and the lists made of both."""
    training, _ = work.read_conversations()
    vectors = embed_conversations(work.read_stock_embedder(), work.document_texts, training)
    pools = build_pools(training, vectors, size=48)
    say(f"{len(pools)} pools")
    scores = score_pairs(work.read_stock_reranker(), work.pair_texts, pools, with_evidence=True)
    lists = build_lists(pools, scores)
    work.dump((pools, scores, lists), "lists")
    say(f"{len(lists)} lists")


def tune_reranker(work: Work) -> None:
    _, _, lists = work.fetch("lists")
    stock = work.read_stock_reranker()
    sets = dict(work.read_evaluation_sets())
    sets.pop("dictionary", None)
    models = {"stock": stock}
    plain = RerankerSettings(batch=2) if work.limit else RerankerSettings()
    for name, settings in {
        "reranker-12": plain,
        "reranker-12-near": replace(plain, anchor=1.0),
        "reranker-12-long": replace(plain, epochs=3, rate=3e-5),
    }.items():
        models[name] = train_reranker(stock, work.pair_texts, lists, settings)
        work.save(models[name], name)
        say(f"{name} trained")
    say(
        write_table(
            evaluate_reranker(models, work.read_stock_embedder(), work.document_texts, work.pair_texts, sets)
        )
    )


def tune_embedder(work: Work) -> None:
    """Several settings, each evaluated; the chosen one is the file named in README.md."""
    pools, _, _ = work.fetch("lists")
    stock = work.read_stock_embedder()
    sets = dict(work.read_evaluation_sets())
    found = {"stock": evaluate_embedder(stock, work.document_texts, sets)}
    teacher = work.load("reranker-12", work.read_stock_reranker())
    scores = score_pairs(teacher, work.pair_texts, pools, with_evidence=True)
    lists = build_lists(pools, scores)
    plain = EmbedderSettings(batch=2) if work.limit else EmbedderSettings()
    for name, settings in {
        "embedder-12": replace(plain, teacher=0.5),
        "embedder-12-plain": plain,
        "embedder-12-loose": replace(plain, teacher=0.5, anchor=0.1),
        "embedder-12-long": replace(plain, teacher=0.5, rate=5e-5, epochs=4),
    }.items():
        model = train_embedder(stock, work.document_texts, lists, settings)
        work.save(model, name)
        found[name] = evaluate_embedder(model, work.document_texts, sets)
        say(f"{name}: {json.dumps(found[name])}")
    say(write_table(found))


def distil_embedders(work: Work, name: str = "embedder-12") -> None:
    teacher = work.load(name, work.read_stock_embedder())
    training, _ = work.read_conversations()
    sets = dict(work.read_evaluation_sets())
    corpus = [text for one in training for text in one.texts]
    questions = [text.rpartition("\n")[2].partition(": ")[2] for text in corpus]
    asked = [one.text for conversation in training for one in conversation.questions]
    more = [one.text for conversation in find_more_questions(training, most=20_000) for one in conversation.questions]
    corpus += [QUERY_PREFIX + text for text in (*asked, *asked, *more)]
    corpus += [text for text in questions[::3] if text]
    random.Random(7).shuffle(corpus)
    found = {name: evaluate_embedder(teacher, work.document_texts, sets)}
    for layers in (6,):
        student = distil_embedder(
            teacher, work.document_texts, corpus, layers=STUDENT_LAYERS[layers], epochs=1 if work.limit else 4
        )
        work.save(student, f"embedder-{layers}")
        found[f"embedder-{layers}"] = evaluate_embedder(student, work.document_texts, sets)
    say(write_table(found))


def distil_rerankers(work: Work, name: str = "reranker-12") -> None:
    teacher = work.load(name, work.read_stock_reranker())
    training, _ = work.read_conversations()
    sets = dict(work.read_evaluation_sets())
    sets.pop("dictionary", None)
    more = find_more_questions(training, most=6_000)
    pools, _, _ = work.fetch("lists")
    vectors = embed_conversations(work.read_stock_embedder(), work.document_texts, more)
    pools = [*pools, *build_pools(more, vectors, size=32)]
    scores = score_pairs(teacher, work.pair_texts, pools)
    models = {name: teacher}
    for layers, kept in STUDENT_LAYERS.items():
        settings = DistilSettings(epochs=1, batch=2) if work.limit else DistilSettings()
        models[f"reranker-{layers}"] = distil_reranker(
            teacher, work.pair_texts, pools, scores, layers=kept, settings=settings
        )
        work.save(models[f"reranker-{layers}"], f"reranker-{layers}")
        say(f"{layers} layers trained")
    say(
        write_table(
            evaluate_reranker(models, work.read_stock_embedder(), work.document_texts, work.pair_texts, sets)
        )
    )


def sweep(work: Work) -> None:
    pools, scores, lists = work.fetch("lists")
    stock = work.read_stock_embedder()
    teacher = work.read_stock_reranker()
    lme = read_longmemeval(work.folder / "data" / "longmemeval-s-dev.json.xz")
    more = lme[1::2]
    own = build_pools(more, embed_conversations(stock, work.document_texts, more), size=48)
    chat = build_lists(own, score_pairs(teacher, work.pair_texts, own, with_evidence=True))
    say(f"{len(chat)} lists of longmemeval")
    sets = {"locomo": read_locomo(work.folder / "data" / "locomo-dev.json"), "longmemeval": lme[::2], "dictionary": read_dictionary(work.folder / "data" / "foldoc.dict.dz")}
    plain = EmbedderSettings(epochs=4, batch=32)
    few = [one for one in lists if one.conversation.source != "lifebench"]
    talk = [one for one in lists if one.conversation.source == "qmsum"]
    for name, chosen, settings in (
        ("all+lme", lists + 8 * chat, plain),
        ("all+lme hot", lists + 8 * chat, replace(plain, temperature=0.05, epochs=6, rate=3e-5, anchor=0.2)),
        ("no lifebench", few + 8 * chat, plain),
        ("lme only", 20 * chat, plain),
        ("qmsum+lme", talk + 8 * chat, replace(plain, epochs=6)),
        ("many negatives", lists + 8 * chat, replace(plain, negatives=24, batch=48)),
    ):
        model = train_embedder(stock, work.document_texts, chosen, settings)
        work.save(model, "sweep-" + name.replace(" ", "-"))
        say(f"{name}: {json.dumps(evaluate_embedder(model, work.document_texts, sets))}")


STEPS: dict[str, Callable[[Work], None]] = {
    "prepare": prepare,
    "reranker": tune_reranker,
    "embedder": tune_embedder,
    "sweep": sweep,
    "distil-embedder": distil_embedders,
    "distil-reranker": distil_rerankers,
}
STARTED = time.monotonic()


def say(text: str) -> None:
    print(f"[{time.monotonic() - STARTED:.0f} s] {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training")
    parser.add_argument("steps", nargs="+", choices=STEPS)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="texts of a conversation, for a trial")
    options = parser.parse_args()
    work = Work(options.work, limit=options.limit)
    for step in options.steps:
        say(step)
        STEPS[step](work)


if __name__ == "__main__":
    main()
