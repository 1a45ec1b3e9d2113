"""The steps of the training: `python -m training STEP... --work FOLDER`. README.md says in which order."""

import argparse
import pickle
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch

from training.bert import DEVICE, Encoder, Texts, read_stock_model
from training.embedder import EmbedderSettings, StudentSettings, distil_embedder, match_cosines, train_embedder
from training.evaluate import evaluate_embedder, evaluate_reranker, write_table
from training.export import export
from training.first_stage import QUERY_PREFIX, Pool, build_pools, embed_conversations, score_pairs
from training.lists import TrainingList, build_lists, find_more_questions
from training.reranker import DistilSettings, RerankerSettings, distil_reranker, train_reranker
from training.sources import (
    Conversation,
    read_compressed,
    read_dictionary,
    read_locomo,
    read_longmemeval,
    read_training_sources,
    split,
)

POOL = 40
CHAT_REPEATS = 8  # LongMemEval has few questions, and they are the most like what people ask an assistant
STUDENT_LAYERS = {6: (1, 3, 5, 7, 9, 11), 4: (2, 5, 8, 11), 3: (3, 7, 11)}
SHORTEST_PASSAGE, LONGEST_PASSAGE = 60, 900  # characters
MOST_PASSAGES = 255_000
MATCHED = 1_500  # texts whose cosines are compared with the stock model's
STARTED = time.monotonic()


class Work:
    """The folder of one training: the stock models, the data, and what each step leaves for the next."""

    def __init__(self, folder: Path, *, limit: int | None, student_layers: Sequence[int]) -> None:
        self.folder = folder
        self.student_layers = student_layers
        self.limit = limit
        self.document_texts = Texts(folder / "embedder" / "tokenizer.json", most_tokens=256)
        self.pair_texts = Texts(folder / "reranker" / "tokenizer.json", most_tokens=288)

    @cache  # noqa: B019  there is one Work in a run
    def read_stock_embedder(self) -> Encoder:
        return read_stock_model(self.folder / "embedder" / "model.onnx", has_head=False).to(DEVICE).eval()

    @cache  # noqa: B019
    def read_stock_reranker(self) -> Encoder:
        return read_stock_model(self.folder / "reranker" / "model.onnx", has_head=True).to(DEVICE).eval()

    @cache  # noqa: B019
    def read_longmemeval(self) -> list[Conversation]:
        return read_longmemeval(self.folder / "data" / "longmemeval-s-dev.json.xz")

    @cache  # noqa: B019
    def read_conversations(self) -> tuple[list[Conversation], list[Conversation]]:
        """For training, and held back. Every second question of LongMemEval is for training."""
        training, held = split(read_training_sources(self.folder / "data"))
        return self._cut([*training, *self.read_longmemeval()[1::2]]), self._cut(held)

    def read_general_text(self) -> list[str]:
        lines = read_compressed(self.folder / "data" / "general.txt.xz").splitlines()[: self.limit]
        return [QUERY_PREFIX + line.removeprefix("? ") if line.startswith("? ") else line for line in lines]

    def read_evaluation_sets(self) -> dict[str, list[Conversation]]:
        data = self.folder / "data"
        sets = {
            "locomo": read_locomo(data / "locomo-dev.json"),
            "longmemeval": self.read_longmemeval()[::2],
            "dictionary": read_dictionary(data / "foldoc.dict.dz"),
        }
        for source in ("lifebench", "realmem", "qmsum", "ikat-ptkb"):
            sets[f"{source} held"] = [one for one in self.read_conversations()[1] if one.source == source]
        return {name: cut for name, conversations in sets.items() if (cut := self._cut(conversations))}

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

    def write_lists(self, pools: list[Pool], lists: list[TrainingList]) -> None:
        (self.folder / "lists.pickle").write_bytes(pickle.dumps((pools, lists)))

    def read_lists(self) -> tuple[list[Pool], list[TrainingList]]:
        read: tuple[list[Pool], list[TrainingList]] = pickle.loads((self.folder / "lists.pickle").read_bytes())  # noqa: S301  `write_lists` wrote it
        return read


def prepare(work: Work) -> None:
    """The candidates of the stock embedder, the stock reranker's scores, and the lists made of both."""
    training, _ = work.read_conversations()
    pools = build_pools(
        training, embed_conversations(work.read_stock_embedder(), work.document_texts, training), size=POOL
    )
    scores = score_pairs(work.read_stock_reranker(), work.pair_texts, pools, with_evidence=True)
    lists = build_lists(pools, scores)
    work.write_lists(pools, lists)
    say(f"{len(pools)} pools, {len(lists)} lists")


def tune_embedder(work: Work) -> None:
    """On meetings and chats. LifeBench's phone records and RealMem's projects teach it what helps only there."""
    settings = EmbedderSettings(batch=2, epochs=1) if work.limit else EmbedderSettings()
    lists = choose_lists(work.read_lists()[1])
    work.save(train_embedder(work.read_stock_embedder(), work.document_texts, lists, settings), "embedder-12")


def tune_reranker(work: Work) -> None:
    """On the same lists, for the same reason."""
    settings = RerankerSettings(batch=2, epochs=1) if work.limit else RerankerSettings()
    lists = choose_lists(work.read_lists()[1])
    work.save(train_reranker(work.read_stock_reranker(), work.pair_texts, lists, settings), "reranker-12")


def choose_lists(lists: Sequence[TrainingList]) -> list[TrainingList]:
    chats = [one for one in lists if one.conversation.source == "longmemeval"]
    return [*(one for one in lists if one.conversation.source == "qmsum"), *CHAT_REPEATS * chats]


def distil_embedders(work: Work) -> None:
    """To six layers, on the training part and on general text, with the stock model's spread of cosines."""
    training, _ = work.read_conversations()
    passages = [passage for one in training for text in one.texts for passage in split_passages(text)]
    corpus = list(dict.fromkeys(" ".join(text.split())[:LONGEST_PASSAGE] for text in passages))
    random.Random(7).shuffle(corpus)
    sample, corpus = corpus[:MATCHED], corpus[:MOST_PASSAGES]
    asked = [one.text for conversation in training for one in conversation.questions]
    more = [one.text for conversation in find_more_questions(training, most=20_000) for one in conversation.questions]
    corpus += [QUERY_PREFIX + text for text in (*asked, *asked, *more)]
    corpus += work.read_general_text()
    say(f"{len(corpus)} texts")
    stock = work.read_stock_embedder()
    settings = StudentSettings(seconds=5, tokens=2_048) if work.limit else StudentSettings()
    student = distil_embedder(
        work.load("embedder-12", stock), work.document_texts, corpus, layers=STUDENT_LAYERS[6], settings=settings
    )
    say(f"shifted by {match_cosines(student, stock, work.document_texts, sample)}")
    work.save(student, "embedder-6")


def split_passages(text: str) -> list[str]:
    """A text, and its paragraphs if there are several."""
    paragraphs = [one for one in text.split("\n") if len(one) > SHORTEST_PASSAGE]
    return [text, *paragraphs] if len(paragraphs) > 1 else [text]


def distil_rerankers(work: Work) -> None:
    """To six, four and three layers, on the candidates of the known questions and of others asked in the talk."""
    more = find_more_questions(work.read_conversations()[0], most=9_000)
    vectors = embed_conversations(work.read_stock_embedder(), work.document_texts, more)
    pools = [*work.read_lists()[0], *build_pools(more, vectors, size=POOL)]
    teacher = work.load("reranker-12", work.read_stock_reranker())
    scores = score_pairs(teacher, work.pair_texts, pools)
    settings = DistilSettings(epochs=1, batch=2) if work.limit else DistilSettings()
    for layers in work.student_layers:
        kept = STUDENT_LAYERS[layers]
        student = distil_reranker(teacher, work.pair_texts, pools, scores, layers=kept, settings=settings)
        work.save(student, f"reranker-{layers}")


def evaluate(work: Work) -> None:
    """Every model that a step has left, beside the stock one."""
    sets = work.read_evaluation_sets()
    embedders = load_all(work, "embedder", work.read_stock_embedder())
    say(write_table({name: evaluate_embedder(one, work.document_texts, sets) for name, one in embedders.items()}))
    rerankers = load_all(work, "reranker", work.read_stock_reranker())
    if len(rerankers) == 1:
        return
    sets.pop("dictionary", None)
    found = evaluate_reranker(rerankers, work.read_stock_embedder(), work.document_texts, work.pair_texts, sets)
    say(write_table(found))


def load_all(work: Work, kind: str, stock: Encoder) -> dict[str, Encoder]:
    names = sorted(path.stem for path in work.folder.glob(f"{kind}-*.pt"))
    return {"stock": stock} | {name: work.load(name, stock) for name in names}


def write_weights(work: Work) -> None:
    """The embedder and the reranker as the int8 files that the service loads, if their steps have run."""
    embedders = dict.fromkeys(("embedder-12", "embedder-6"), work.read_stock_embedder)
    stocks = embedders | dict.fromkeys(("reranker-12", "reranker-6"), work.read_stock_reranker)
    for name, read_stock in stocks.items():
        if (work.folder / f"{name}.pt").exists():
            stock = work.folder / name.partition("-")[0] / "model.onnx"
            export(work.load(name, read_stock()), stock=stock, to=work.folder / f"{name}.onnx")


STEPS: dict[str, Callable[[Work], None]] = {
    "prepare": prepare,
    "embedder": tune_embedder,
    "reranker": tune_reranker,
    "distil-embedder": distil_embedders,
    "distil-reranker": distil_rerankers,
    "evaluate": evaluate,
    "export": write_weights,
}


def say(text: str) -> None:
    print(f"[{time.monotonic() - STARTED:.0f} s] {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training")
    parser.add_argument("steps", nargs="+", choices=STEPS)
    parser.add_argument("--work", type=Path, required=True, help="the folder with data/, embedder/ and reranker/")
    parser.add_argument("--limit", type=int, help="texts of a conversation, for a trial")
    parser.add_argument(
        "--layers", type=int, nargs="*", default=list(STUDENT_LAYERS), help="of the rerankers to distil"
    )
    options = parser.parse_args()
    work = Work(options.work, limit=options.limit, student_layers=options.layers)
    for step in options.steps:
        say(step)
        STEPS[step](work)


if __name__ == "__main__":
    main()
