"""Writes a trained model as int8 ONNX: the stock model's file with the new weights in it."""

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from torch import Tensor

from training.bert import Encoder, name_of_weight

# The word embeddings, which training does not change, stay in the stock model's file if the new one would be too large.
LEFT_OUT = "embeddings.word_embeddings.weight_quantized"
MOST_BYTES = 25_000_000
LAYER_OUTPUT = "/output/LayerNorm/Add_1_output_0"


def export(model: Encoder, *, stock: Path, to: Path, head: Tensor | None = None) -> None:
    """Weights are rounded to int8 with one scale an output, as those of the stock model are.

    `head` adds the output "words": the last states, in fewer numbers.
    """
    file = onnx.load(str(stock))
    cut_graph(file.graph, model.layers)
    arrays = {one.name: one for one in file.graph.initializer}
    prefix = "" if model.classifier is not None else "bert."
    state = {name.removeprefix(prefix): value.cpu().float().numpy() for name, value in model.state_dict().items()}
    for name, value in state.items():
        if name in arrays and ".embeddings." not in f".{name}":
            put(arrays[name], value)
    for node in file.graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            scales, rounded = quantise(state[name_of_weight(node)])
            replace(arrays[f"{name}_scale"], scales)  # the stock reranker has one scale for the whole matrix
            replace(arrays[f"{name}_zero_point"], np.zeros(scales.shape, dtype=np.int8))
            put(arrays[f"{name}_quantized"], rounded.T)
    if head is not None:
        add_words(file.graph, head.detach().cpu().float().numpy())
    if file.ByteSize() > MOST_BYTES:
        leave_out(next(array for name, array in arrays.items() if name.endswith(LEFT_OUT)), stock)
    onnx.save(file, str(to))


def cut_graph(graph: onnx.GraphProto, layers: int) -> None:
    """Leave the first layers of the stock graph: what read the last layer reads the last one that is left.

    Without a head the last layer's output is that of the graph, and the last one that is left gets its name.
    """
    outputs = [
        name for node in graph.node for name in node.output if name.endswith(LAYER_OUTPUT) and "attention" not in name
    ]
    by_layer = {int(name.split("layer.")[1].split("/")[0]): name for name in outputs if "layer." in name}
    result = graph.output[0].name
    if layers - 1 in by_layer and result == "last_hidden_state":
        for node in graph.node:
            node.output[:] = [name if name != result else "unused" for name in node.output]
            node.output[:] = [result if name == by_layer[layers - 1] else name for name in node.output]
    elif layers - 1 in by_layer:
        last, left = by_layer[max(by_layer)], by_layer[layers - 1]
        for node in graph.node:
            node.input[:] = [left if name == last else name for name in node.input]
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            needed.update(node.input)
            kept.append(node)
    weights = [one for one in graph.initializer if one.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(weights)


def add_words(graph: onnx.GraphProto, head: np.ndarray) -> None:
    states = graph.output[0].name
    graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(head.T), "words.weight"))
    graph.node.append(onnx.helper.make_node("MatMul", [states, "words.weight"], ["words"], name="/words/MatMul"))
    shape = ["batch_size", "sequence_length", len(head)]
    graph.output.append(onnx.helper.make_tensor_value_info("words", onnx.TensorProto.FLOAT, shape))


def quantise(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scales = np.maximum(np.abs(weight).max(axis=1) / 127, 1e-9).astype(np.float32)
    return scales, np.round(weight / scales[:, None]).astype(np.int8)


def put(tensor: onnx.TensorProto, value: np.ndarray) -> None:
    if list(tensor.dims) != list(value.shape):
        raise ValueError(f"{tensor.name} has the shape {list(tensor.dims)}, not {list(value.shape)}.")
    replace(tensor, value)


def replace(tensor: onnx.TensorProto, value: np.ndarray) -> None:
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), tensor.name))


def leave_out(tensor: onnx.TensorProto, stock: Path) -> None:
    """Point to the place of the values in the stock model's file."""
    values = tensor.raw_data
    place = stock.read_bytes().index(values)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", "stock"), ("offset", str(place)), ("length", str(len(values)))):
        tensor.external_data.add(key=key, value=value)
