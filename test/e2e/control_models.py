"""Small models with branches and loops, made for the test at hand.

Each is a function that returns the model and a list of inputs to run it on; the
sizes and signs of the inputs decide which branch is taken and how often a loop
turns.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(kind: str, inputs: str, outputs: str, **attributes):
    """A node; names are separated by spaces, `-` is an absent input."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), name=outputs.split()[0],
                            **attributes)


def constant(name: str, value) -> onnx.NodeProto:
    """A node that gives `value`."""
    tensor = onnx.numpy_helper.from_array(np.asarray(value), name)
    return helper.make_node("Constant", [], [name], value=tensor)


def value(name: str, kind: int, shape=None):
    """An input or output; no shape leaves it to inference."""
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, inputs, outputs) -> onnx.GraphProto:
    """A graph, of the model or of a body."""
    return helper.make_graph(nodes, "g", inputs, outputs)


def model(nodes, inputs, outputs) -> onnx.ModelProto:
    """A model whose opset has all that is used here."""
    return helper.make_model(
        graph(nodes, inputs, outputs),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def floats(*shape: int, sign: float = 1.0) -> np.ndarray:
    """Numbers that differ, all of one sign."""
    count = int(np.prod(shape))
    return (sign * (0.25 + np.arange(count) % 7)).astype(np.float32).reshape(shape)


def if_of_different_shapes():
    """One branch doubles the rows, the other does not."""
    then = graph([node("Concat", "x x", "t0", axis=0), node("Exp", "t0", "t")],
                 [], [value("t", FLOAT, ["r", 4])])
    other = graph([node("Neg", "x", "e0"), node("Sqrt", "e0", "e")], [],
                  [value("e", FLOAT, ["r", 4])])
    nodes = [node("ReduceSum", "x", "sum", keepdims=0), constant("zero", np.float32(0)),
             node("Greater", "sum zero", "c"),
             node("If", "c", "y", then_branch=then, else_branch=other),
             node("Mul", "y y", "z"), node("ReduceSum", "y", "total", keepdims=0)]
    built = model(nodes, [value("x", FLOAT, ["n", 4])],
                  [value("z", FLOAT, ["m", 4]), value("total", FLOAT, [])])
    return built, [{"x": floats(n, 4, sign=s)} for n in (1, 5, 17) for s in (1, -1)]


def loop_with_stacked_values():
    """A state that each iteration changes and stacks, and the iteration number."""
    body = graph([node("Cast", "i", "f", to=FLOAT), node("Add", "s f", "s1"),
                  node("Tanh", "s1", "s2"), node("ReduceSum", "s2", "r", keepdims=0),
                  node("Identity", "c", "c1")],
                 [value("i", INT64, []), value("c", BOOL, []), value("s", FLOAT, ["n", 3])],
                 [value("c1", BOOL, []), value("s2", FLOAT, ["n", 3]),
                  value("s1", FLOAT, ["n", 3]), value("r", FLOAT, [])])
    nodes = [constant("trips", np.int64(5)), constant("go", True), node("Relu", "x", "x1"),
             node("Loop", "trips go x1", "last stacked sums", body=body),
             node("Abs", "stacked", "y")]
    built = model(nodes, [value("x", FLOAT, ["n", 3])],
                  [value("last", FLOAT, ["n", 3]), value("y", FLOAT, [5, "n", 3]),
                   value("sums", FLOAT, [5])])
    return built, [{"x": floats(n, 3)} for n in (1, 4, 13)]


def loop_that_swaps():
    """Fibonacci by tensors: each carried value becomes the other."""
    body = graph([node("Add", "a b", "d"), node("Identity", "c", "c1")],
                 [value("i", INT64, []), value("c", BOOL, []),
                  value("a", FLOAT, ["n"]), value("b", FLOAT, ["n"])],
                 [value("c1", BOOL, []), value("b", FLOAT, ["n"]), value("d", FLOAT, ["n"]),
                  value("a", FLOAT, ["n"])])
    nodes = [constant("trips", np.int64(7)),
             node("Loop", "trips - x y", "a1 b1 seen", body=body)]
    built = model(nodes, [value("x", FLOAT, ["n"]), value("y", FLOAT, ["n"])],
                  [value("a1", FLOAT, ["n"]), value("b1", FLOAT, ["n"]),
                   value("seen", FLOAT, [7, "n"])])
    return built, [{"x": floats(n), "y": floats(n) * 2} for n in (1, 9)]


def while_body():
    """Halves until the largest element is below 1, stacking the sums."""
    return graph([constant("half", np.float32(0.5)), constant("one", np.float32(1)),
                  node("Mul", "s half", "s1"), node("ReduceMax", "s1", "most", keepdims=0),
                  node("Greater", "most one", "c1"),
                  node("ReduceSum", "s1", "r", keepdims=0)],
                 [value("i", INT64, []), value("c", BOOL, []), value("s", FLOAT, ["n"])],
                 [value("c1", BOOL, []), value("s1", FLOAT, ["n"]), value("r", FLOAT, [])])


def while_with_a_bound():
    """A condition ends the loop, at the latest after 20 iterations."""
    nodes = [constant("trips", np.int64(20)), constant("go", True),
             node("Loop", "trips go x", "last sums", body=while_body()),
             node("Neg", "sums", "y")]
    built = model(nodes, [value("x", FLOAT, ["n"])],
                  [value("last", FLOAT, ["n"]), value("y", FLOAT, ["t"])])
    return built, [{"x": floats(n) * scale} for n in (1, 6) for scale in (0.5, 8, 1000)]


def while_without_a_bound():
    """As above, but nothing says how often: memory comes from the caller."""
    nodes = [constant("go", True), node("Loop", "- go x", "last sums", body=while_body()),
             node("Neg", "sums", "y")]
    built = model(nodes, [value("x", FLOAT, ["n"])],
                  [value("last", FLOAT, ["n"]), value("y", FLOAT, ["t"])])
    return built, [{"x": floats(n) * scale} for n in (1, 6) for scale in (0.5, 8, 1e30)]


def loop_that_grows():
    """Each iteration appends a row to the carried value."""
    body = graph([node("Concat", "s row", "s1", axis=0), node("Identity", "c", "c1"),
                  node("ReduceSum", "s1", "r", keepdims=0)],
                 [value("i", INT64, []), value("c", BOOL, []), value("s", FLOAT, ["k", 3])],
                 [value("c1", BOOL, []), value("s1", FLOAT, ["k1", 3]), value("r", FLOAT, [])])
    nodes = [constant("trips", np.int64(6)), constant("first", floats(2, 3)),
             constant("axis", np.array([0])), node("ReduceSum", "x axis", "row"),
             node("Loop", "trips - first", "last sums", body=body),
             node("Exp", "last", "y")]
    built = model(nodes, [value("x", FLOAT, ["n", 3])],
                  [value("y", FLOAT, ["k", 3]), value("sums", FLOAT, [6])])
    return built, [{"x": -floats(n, 3)} for n in (1, 4)]


def nested():
    """A loop around an if around a loop, which read values from outside."""
    inner = graph([node("Add", "u x", "u1"), node("Identity", "d", "d1")],
                  [value("j", INT64, []), value("d", BOOL, []), value("u", FLOAT, ["n"])],
                  [value("d1", BOOL, []), value("u1", FLOAT, ["n"])])
    then = graph([node("Loop", "two - s", "t", body=inner)], [], [value("t", FLOAT, ["n"])])
    other = graph([node("Sub", "s shift", "e")], [], [value("e", FLOAT, ["n"])])
    body = graph([node("ReduceSum", "s", "sum", keepdims=0), node("Less", "sum limit", "small"),
                  node("If", "small", "s1", then_branch=then, else_branch=other),
                  node("Identity", "c", "c1")],
                 [value("i", INT64, []), value("c", BOOL, []), value("s", FLOAT, ["n"])],
                 [value("c1", BOOL, []), value("s1", FLOAT, ["n"]), value("small", BOOL, [])])
    nodes = [constant("trips", np.int64(8)), constant("two", np.int64(2)),
             constant("limit", np.float32(20)), constant("three", np.float32(3)),
             node("Mul", "x three", "shift"),
             node("Loop", "trips - x", "y taken", body=body)]
    built = model(nodes, [value("x", FLOAT, ["n"])],
                  [value("y", FLOAT, ["n"]), value("taken", BOOL, [8])])
    return built, [{"x": floats(n)} for n in (1, 3, 11)]


def scan():
    """A recurrent cell over the first dimension, and its reverse."""
    body = graph([node("Add", "p v", "q0"), node("Sigmoid", "q0", "q"),
                  node("Mul", "q v", "o")],
                 [value("p", FLOAT, ["b"]), value("v", FLOAT, ["b"])],
                 [value("q", FLOAT, ["b"]), value("o", FLOAT, ["b"])])
    nodes = [node("Scan", "h0 x", "h1 y", body=body, num_scan_inputs=1),
             node("Scan", "h0 x", "h2 z", body=body, num_scan_inputs=1,
                  scan_input_directions=[1], scan_output_directions=[1])]
    built = model(nodes, [value("h0", FLOAT, ["b"]), value("x", FLOAT, ["t", "b"])],
                  [value("h1", FLOAT, ["b"]), value("y", FLOAT, ["t", "b"]),
                   value("h2", FLOAT, ["b"]), value("z", FLOAT, ["t", "b"])])
    return built, [{"h0": floats(b), "x": floats(t, b, sign=-1)}
                   for t, b in ((1, 1), (5, 3), (12, 2))]


def non_zero():
    """As many rows as there are elements that are not 0: at most all."""
    nodes = [node("NonZero", "x", "i"), node("Transpose", "i", "rows", perm=[1, 0]),
             node("Cast", "rows", "f", to=FLOAT), constant("half", np.float32(0.5)),
             node("Mul", "f half", "y")]
    built = model(nodes, [value("x", FLOAT, ["n", "m"])], [value("y", FLOAT, ["k", 2])])
    inputs = []
    for n, m in ((1, 1), (4, 5), (3, 17)):
        dense = floats(n, m)
        sparse = dense * (np.arange(n * m).reshape(n, m) % 3 == 0)
        inputs += [{"x": dense}, {"x": sparse}, {"x": dense * 0}]
    return built, inputs


def not_sorted():
    """Nodes in any order; a branch reads what stands behind it, and calls a
    value of its own as one further down is called."""
    then = graph([node("Mul", "x late", "later"), node("Abs", "later", "t")], [],
                 [value("t", FLOAT, ["n"])])
    other = graph([node("Neg", "late", "e")], [], [value("e", FLOAT, ["n"])])
    nodes = [node("Add", "y later", "z"), node("Add", "y y", "later"),
             node("If", "c", "y", then_branch=then, else_branch=other),
             node("Greater", "sum zero", "c"), node("Exp", "x", "late"),
             node("ReduceSum", "x", "sum", keepdims=0), constant("zero", np.float32(0))]
    built = model(nodes, [value("x", FLOAT, ["n"])], [value("z", FLOAT, ["n"])])
    return built, [{"x": floats(n, sign=s)} for n in (1, 5) for s in (1, -1)]


def axes_of_the_run():
    """Axes that are inputs, counted from either end and in any order."""
    nodes = [node("ReduceSum", "x axes", "sum", keepdims=0), node("Exp", "x", "e"),
             node("CumSum", "e axis", "running"), node("Mul", "sum sum", "square"),
             node("Unsqueeze", "square place", "y"), node("Neg", "running", "z")]
    built = model(
        nodes,
        [value("x", FLOAT, ["n", 3, "k"]), value("axes", INT64, [2]),
         value("axis", INT64, []), value("place", INT64, [1])],
        [value("y", FLOAT), value("z", FLOAT)])
    inputs = []
    for axes, axis, place in (((0, 1), 0, 0), ((2, 0), 2, 1), ((-1, 1), -2, -1)):
        inputs += [{"x": floats(*shape), "axes": np.array(axes), "axis": np.array(axis),
                    "place": np.array([place])} for shape in ((2, 3, 4), (1, 3, 9))]
    return built, inputs


def broadcasts_unseen():
    """An operand that may be broadcast, twice: only the first time shows how."""
    weights = np.random.default_rng(5).standard_normal((4, 4)).astype(np.float32)
    nodes = [node("Add", "x m", "sum"), node("Softmax", "sum", "part"),
             node("MatMul", "part w", "y"), node("Add", "y m", "z"),
             node("Softmax", "part", "again"), node("Mul", "again m", "v")]
    built = model(
        nodes, [value("x", FLOAT, ["n", 4]), value("m", FLOAT, ["k", 4])],
        [value(name, FLOAT) for name in ("y", "z", "again", "v")])
    built.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    return built, [{"x": floats(n, 4), "m": floats(k, 4, sign=-1)}
                   for n, k in ((3, 3), (3, 1), (1, 3), (1, 1))]


# The models, and the memory class that each must have.
MODELS = {
    if_of_different_shapes: "bound",
    loop_with_stacked_values: "exact",
    loop_that_swaps: "exact",
    while_with_a_bound: "bound",
    while_without_a_bound: "open",
    loop_that_grows: "bound",
    nested: "bound",
    scan: "exact",
    non_zero: "bound",
    not_sorted: "bound",
    axes_of_the_run: "bound",
    broadcasts_unseen: "exact",
}
