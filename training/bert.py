"""Small BERT models: read from the int8 ONNX files of the stock models, run in batches, cut to fewer layers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertModel

HIDDEN = 384
VOCABULARY = 30_522
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TOKENS_A_BATCH = 65_536 if DEVICE == "cuda" else 4_096
Encoded = list[tuple[list[int], list[int]]]  # ids and types of each text or pair


class Encoder(nn.Module):
    """BERT with the first token's state as its result and, for a reranker, a head that makes one logit of it."""

    def __init__(self, *, layers: int, has_head: bool) -> None:
        super().__init__()
        config = BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=HIDDEN,
            num_hidden_layers=layers,
            num_attention_heads=12,
            intermediate_size=4 * HIDDEN,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        self.layers = layers
        self.bert = BertModel(config, add_pooling_layer=has_head)
        self.classifier = nn.Linear(HIDDEN, 1) if has_head else None

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        out = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        if self.classifier is None:
            return nn.functional.normalize(out.last_hidden_state[:, 0].float(), dim=-1)
        return self.classifier(out.pooler_output).squeeze(-1).float()

    def freeze_embeddings(self) -> None:
        for parameter in self.bert.embeddings.parameters():
            parameter.requires_grad = False

    def cut(self, kept: Sequence[int]) -> "Encoder":
        """A copy with these layers only."""
        small = Encoder(layers=len(kept), has_head=self.classifier is not None)
        state = {}
        for name, value in self.state_dict().items():
            if ".encoder.layer." not in name:
                state[name] = value.clone()
                continue
            before, after = name.split(".encoder.layer.")
            number, rest = after.split(".", 1)
            if int(number) in kept:
                state[f"{before}.encoder.layer.{list(kept).index(int(number))}.{rest}"] = value.clone()
        small.load_state_dict(state)
        return small.to(next(self.parameters()).device)


def read_stock_model(path: Path, *, has_head: bool) -> Encoder:
    """The weights of an int8 ONNX file as floats."""
    graph = onnx.load(str(path)).graph
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    floats = {name: value for name, value in arrays.items() if value.dtype == np.float32 and "_scale" not in name}
    state = {name: value for name, value in floats.items() if "." in name and (has_head or "pooler" not in name)}
    for name in arrays:
        if name.endswith(".weight_quantized") and "embeddings" in name:
            state[name.removesuffix("_quantized")] = dequantise(arrays, name.removesuffix("_quantized"))
    for node in graph.node:
        if node.op_type == "MatMulInteger" and (has_head or "pooler" not in node.name):
            state[name_of_weight(node)] = dequantise(arrays, node.input[1].removesuffix("_quantized")).T
    layers = 1 + max(int(name.split("layer.")[1].split(".")[0]) for name in state if "layer." in name)
    model = Encoder(layers=layers, has_head=has_head)
    prefix = "" if has_head else "bert."
    missing, unexpected = model.load_state_dict(
        {prefix + name: torch.from_numpy(np.array(value)) for name, value in state.items()}, strict=False
    )
    if unexpected or [name for name in missing if "position_ids" not in name and "token_type_ids" not in name]:
        raise ValueError(f"{path} is not the model that was expected: missing {missing}, unexpected {unexpected}.")
    return model


def name_of_weight(node: onnx.NodeProto) -> str:
    """For the node "/encoder/layer.0/output/dense/MatMul_quant", "encoder.layer.0.output.dense.weight"."""
    place = node.name.strip("/").replace("/Gemm_MatMul_quant", "").replace("/MatMul_quant", "")
    return place.replace("/", ".") + ".weight"


def dequantise(arrays: dict[str, np.ndarray], name: str) -> np.ndarray:
    quantised = arrays[f"{name}_quantized"].astype(np.float32)
    return (quantised - arrays[f"{name}_zero_point"].astype(np.float32)) * arrays[f"{name}_scale"]


class Texts:
    """A tokenizer that cuts each text, or the second of a pair, to a number of tokens."""

    def __init__(self, path: Path, *, most_tokens: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most_tokens)

    def encode(self, texts: Sequence[str]) -> Encoded:
        return [(one.ids, one.type_ids) for one in self._tokenizer.encode_batch([text[:4_000] for text in texts])]

    def encode_pairs(self, pairs: Sequence[tuple[str, str]]) -> Encoded:
        short = [(first[:1_000], second[:4_000]) for first, second in pairs]
        return [(one.ids, one.type_ids) for one in self._tokenizer.encode_batch(short)]


def pad(encoded: Sequence[tuple[list[int], list[int]]]) -> dict[str, Tensor]:
    longest = max(len(ids) for ids, _ in encoded)
    ids = torch.zeros(len(encoded), longest, dtype=torch.long)
    types = torch.zeros_like(ids)
    mask = torch.zeros_like(ids)
    for row, (one, kinds) in enumerate(encoded):
        ids[row, : len(one)] = torch.tensor(one)
        types[row, : len(one)] = torch.tensor(kinds)
        mask[row, : len(one)] = 1
    return {
        "input_ids": ids.to(DEVICE, non_blocking=True),
        "attention_mask": mask.to(DEVICE, non_blocking=True),
        "token_type_ids": types.to(DEVICE, non_blocking=True),
    }


def group_by_length(encoded: Encoded) -> Iterator[list[int]]:
    """Indexes in batches of similar length, so that little is padded."""
    order = sorted(range(len(encoded)), key=lambda index: len(encoded[index][0]))
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * len(encoded[index][0]) > TOKENS_A_BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@torch.no_grad()
def run_all(model: Encoder, encoded: Encoded) -> Tensor:
    """The result for each text, in their order, on the device."""
    model.eval()
    shape = (len(encoded),) if model.classifier is not None else (len(encoded), HIDDEN)
    found = torch.empty(shape, device=DEVICE)
    for batch in group_by_length(encoded):
        with half_precision():
            found[torch.tensor(batch, device=DEVICE)] = model(**pad([encoded[index] for index in batch]))
    return found


def half_precision() -> torch.autocast:
    return torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda")
