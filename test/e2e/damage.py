"""Damaged copies of a model, to prove that a comparison can fail.

A contraction's output is zeroed or scaled by 1.05. The peer runs the damaged
model; a comparison of LeZero's undamaged outputs with it must fail.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from peer import Reference, distance, make_session, run_session

CONTRACTIONS = {
    *("Conv", "ConvTranspose", "MatMul", "Gemm", "Einsum", "LSTM", "GRU", "RNN"),
    *("QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger"),
    *("Attention", "MultiHeadAttention", "FusedMatMul"),
}

# How many contractions are damaged, and how.
PICKED = 3
KINDS = {"zeroed": 0.0, "scaled by 1.05": 1.05}


@dataclass(frozen=True)
class Site:
    """A node: the number of its graph among the model's, and its index in it."""

    graph: int
    node: int


def all_graphs(graph: onnx.GraphProto) -> list[onnx.GraphProto]:
    """Returns `graph` and the graphs inside its nodes, at any depth."""
    found = [graph]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found += all_graphs(attribute.g)
    return found


def output_at(model: onnx.ModelProto, site: Site) -> str:
    """Returns the name of what the node at `site` computes."""
    return all_graphs(model.graph)[site.graph].node[site.node].output[0]


def candidates(model: onnx.ModelProto, salt: str) -> list[Site]:
    """Returns where the contractions are, in the order of their hash."""

    def key(output: str) -> str:
        return hashlib.sha256(f"{salt}:{output}".encode()).hexdigest()

    found = [
        (key(node.output[0]), Site(number, index))
        for number, graph in enumerate(all_graphs(model.graph))
        for index, node in enumerate(graph.node)
        if node.op_type in CONTRACTIONS and node.output[0]
    ]
    return [site for _, site in sorted(found, key=lambda pair: pair[0])]


def element_types(model: onnx.ModelProto) -> dict:
    """Returns the element type of each value that the model or ONNX knows."""
    inferred = onnx.shape_inference.infer_shapes(model)
    values = [*inferred.graph.value_info, *inferred.graph.output]
    return {value.name: value.type.tensor_type.elem_type for value in values}


def damage(model: onnx.ModelProto, site: Site, factor: float, types: dict):
    """Returns a copy whose node at `site` has its first output multiplied."""
    damaged = onnx.ModelProto()
    damaged.CopyFrom(model)
    graph = all_graphs(damaged.graph)[site.graph]
    node = graph.node[site.node]
    name = node.output[0]
    element = types.get(name)
    kept, wanted = f"{name}.undamaged", f"{name}.factor"
    node.output[0] = kept
    scalar = np.asarray(factor, helper.tensor_dtype_to_np_dtype(element or TensorProto.FLOAT))
    damaged.graph.initializer.append(numpy_helper.from_array(scalar, wanted))
    opset = max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    multiply = helper.make_node("Mul", [kept, wanted], [name])
    if opset < 7:
        multiply.attribute.append(helper.make_attribute("broadcast", 1))
    if not element and opset >= 15:  # what contributed operators give
        multiply.input[1] = f"{wanted}.cast"
        graph.node.insert(site.node + 1, helper.make_node(
            "CastLike", [wanted, kept], [multiply.input[1]]))
        graph.node.insert(site.node + 2, multiply)
    else:
        graph.node.insert(site.node + 1, multiply)
    return damaged


def shown_damage(path: Path, model, types, site, factor, inputs, reference):
    """Runs a damaged copy on the peer; None if the damage hardly shows there.

    Twice the tolerance is asked: a right answer may be one tolerance away from
    the reference, and then must still be more than one from the damaged one.
    """
    copy = path.with_name(f"{path.stem}.damaged.onnx")
    copy.write_bytes(damage(model, site, factor, types).SerializeToString())
    try:
        outputs = run_session(make_session(copy, optimized=False), inputs)
    finally:
        copy.unlink()
    shown = any(
        distance(outputs[name], reference.outputs[name]) > 2 * allowed
        for name, allowed in reference.tolerances.items()
    )
    return outputs if shown else None


def damaged_references(path: Path, kind: str, inputs: dict, reference: Reference):
    """Yields (contraction, reference of the damaged model), up to PICKED."""
    model = onnx.load(path, load_external_data=False)
    types, found = element_types(model), 0
    for site in candidates(model, path.stem):
        outputs = shown_damage(
            path, model, types, site, KINDS[kind], inputs, reference
        )
        if outputs is None:
            continue
        yield output_at(model, site), Reference(
            outputs, reference.tolerances
        )
        found += 1
        if found == PICKED:
            return
