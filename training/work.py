"""The folder of one training: the stock models, the data, and what each step leaves for the next."""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch

from training.bert import DEVICE, Encoder, Texts, read_stock_model
from training.first_stage import QUERY_PREFIX, Pool
from training.lists import TrainingList
from training.sources import (
    Conversation,
    read_compressed,
    read_dictionary,
    read_locomo,
    read_longmemeval,
    read_training_sources,
    split,
)
from training.words import WordEncoder


class Work:
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
    def read_stock_words(self) -> Encoder:
        return read_stock_model(self.folder / "words" / "model.onnx", has_head=False).to(DEVICE).eval()

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

    def save_words(self, model: WordEncoder, name: str) -> None:
        self.save(model.encoder, name)
        torch.save(model.head.weight.half().cpu(), self.folder / f"{name}-head.pt")

    def load_words(self, name: str, stock: Encoder) -> WordEncoder:
        head = torch.load(self.folder / f"{name}-head.pt", map_location="cpu", weights_only=True)
        model = WordEncoder(self.load(name, stock), size=len(head))
        model.head.weight.data = head.float().to(DEVICE)
        return model.eval()

    def write_lists(self, pools: list[Pool], lists: list[TrainingList]) -> None:
        (self.folder / "lists.pickle").write_bytes(pickle.dumps((pools, lists)))

    def read_lists(self) -> tuple[list[Pool], list[TrainingList]]:
        read: tuple[list[Pool], list[TrainingList]] = pickle.loads((self.folder / "lists.pickle").read_bytes())  # noqa: S301  `write_lists` wrote it
        return read
