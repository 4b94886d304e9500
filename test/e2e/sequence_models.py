"""Small models that put sequences and optionals together and take them apart.

Each is a function that returns the model, inputs to run it on, and inputs that
must end in an error with the words that it must hold. A sequence is a list of
arrays, an optional an array, a list or None.
"""

import numpy as np
from onnx import TensorProto, helper

from control_models import (BOOL, FLOAT, INT64, constant, floats, graph, node,
                            value)


def sequence(name: str, shape=None, kind: int = FLOAT):
    """An input or output that is a sequence of tensors."""
    return helper.make_tensor_sequence_value_info(name, kind, shape)


def optional(name: str, inner):
    """An input or output that may have the value that `inner` declares."""
    return helper.make_value_info(name, helper.make_optional_type_proto(inner.type))


def model(nodes, inputs, outputs):
    """A model of an opset with optionals."""
    return helper.make_model(
        graph(nodes, inputs, outputs),
        opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def number(value_: int) -> np.ndarray:
    """A scalar as ONNX has positions."""
    return np.array(value_, np.int64)


# Values of three sizes, one of them empty.
VARIED = [floats(2, 3), floats(0, 3), floats(4, 3, sign=-1.0)]


def at_any_position():
    """A value of values of different sizes, counted from either end."""
    made = model([node("SequenceAt", "s i", "v"), node("Neg", "v", "y")],
                 [sequence("s", ["n", 3]), value("i", INT64, [])],
                 [value("y", FLOAT)])
    cases = [{"s": VARIED, "i": number(i)} for i in (0, 2, 1, -1, -3)]
    wrong = [({"s": VARIED, "i": number(i)}, "node 'v'") for i in (3, -4)]
    return made, cases, wrong + [({"s": [], "i": number(0)}, "node 'v'")]


def at_in_alike():
    """A value of values of one size."""
    made = model([node("SequenceAt", "s i", "y"), node("SequenceLength", "s", "n")],
                 [sequence("s", [2, 3]), value("i", INT64, [])],
                 [value("y", FLOAT), value("n", INT64)])
    three = [floats(2, 3), floats(2, 3, sign=-1.0), floats(2, 3) * 2]
    cases = [{"s": three, "i": number(i)} for i in (0, 2, -2)]
    return made, cases, [({"s": three, "i": number(3)}, "node 'y'"),
                         ({"s": VARIED, "i": number(0)}, "s[1]")]


def insert_and_erase():
    """One value more and one less, at positions that inputs state."""
    made = model([node("SequenceInsert", "s x i", "more"),
                  node("SequenceErase", "s j", "less"),
                  node("SequenceErase", "s", "head")],
                 [sequence("s", ["n", 3]), value("x", FLOAT, ["m", 3]),
                  value("i", INT64, []), value("j", INT64, [])],
                 [sequence("more"), sequence("less"), sequence("head")])
    cases = [{"s": VARIED, "x": floats(1, 3), "i": number(i), "j": number(j)}
             for i, j in ((0, 0), (3, 2), (1, -1), (-1, 1))]
    wrong = [({"s": VARIED, "x": floats(1, 3), "i": number(4), "j": number(0)}, "node 'more'"),
             ({"s": VARIED, "x": floats(1, 3), "i": number(0), "j": number(3)}, "node 'less'")]
    return made, cases, wrong


def insert_in_alike():
    """Values of one size keep it; a value of another size ends that."""
    made = model([node("SequenceInsert", "s x i", "same"),
                  node("SequenceInsert", "same z", "y")],
                 [sequence("s", [2]), value("x", FLOAT, [2]), value("z", FLOAT, [3, 1]),
                  value("i", INT64, [])],
                 [sequence("same"), sequence("y")])
    return made, [{"s": [floats(2), floats(2) * 3], "x": floats(2) * 5, "z": floats(3, 1),
                   "i": number(i)} for i in (0, 1, 2)], []


def concat_of_any():
    """Values joined along either axis, and along new ones."""
    made = model([node("ConcatFromSequence", "s", "rows", axis=0),
                  node("ConcatFromSequence", "t", "columns", axis=1),
                  node("ConcatFromSequence", "t", "last", axis=-1),
                  node("ConcatFromSequence", "u", "stacked", axis=1, new_axis=1),
                  node("ConcatFromSequence", "u", "beside", axis=1)],
                 [sequence("s", ["n", "m"]), sequence("t", ["n", "m", 2]),
                  sequence("u", [2, 3])],
                 [value(name, FLOAT) for name in
                  ("rows", "columns", "last", "stacked", "beside")])
    parts = [floats(2, k, 2) * (k + 1) for k in (3, 3)]
    uneven = [floats(2, k, 2) * (k + 1) for k in (1, 4, 2)]
    alike = [floats(2, 3), floats(2, 3) * 2, floats(2, 3, sign=-1.0)]
    cases = [{"s": VARIED, "t": parts, "u": alike}]
    wrong = [({"s": [floats(2, 3), floats(2, 2)], "t": parts, "u": alike}, "node 'rows'"),
             ({"s": VARIED, "t": uneven, "u": alike}, "node 'last'")]
    return made, cases, wrong


def concat_uneven():
    """Values of different lengths in a middle dimension."""
    made = model([node("ConcatFromSequence", "t", "y", axis=1)],
                 [sequence("t", ["n", "m", 2])], [value("y", FLOAT)])
    return made, [{"t": [floats(2, k, 2) * (k + 1) for k in sizes]}
                  for sizes in ((1, 4, 2), (5,), (2, 0, 1))], []


def split_evenly():
    """Parts of a size that an input states, along either axis."""
    made = model([node("SplitToSequence", "x c", "rows", axis=0),
                  node("SplitToSequence", "x c", "columns", axis=1),
                  node("SplitToSequence", "x", "ones", axis=1),
                  node("SplitToSequence", "x", "squeezed", axis=1, keepdims=0)],
                 [value("x", FLOAT, ["n", "m"]), value("c", INT64, [])],
                 [sequence(name) for name in ("rows", "columns", "ones", "squeezed")])
    cases = [{"x": floats(n, m), "c": number(c)} for n, m, c in
             ((6, 4, 2), (5, 7, 3), (2, 3, 9))]
    return made, cases, [({"x": floats(2, 2), "c": number(0)}, "node 'rows'")]


def split_by_lengths():
    """Parts of lengths that an input states, of known number or not."""
    made = model([node("SplitToSequence", "x two", "y", axis=1),
                  node("SplitToSequence", "x any", "z", axis=1)],
                 [value("x", FLOAT, ["n", "m"]), value("two", INT64, [2]),
                  value("any", INT64, ["k"])],
                 [sequence("y"), sequence("z")])
    lengths = lambda *sizes: np.array(sizes, np.int64)
    cases = [{"x": floats(3, 6), "two": lengths(2, 4), "any": lengths(1, 2, 3)},
             {"x": floats(3, 5), "two": lengths(5, 0), "any": lengths(5)}]
    wrong = [({"x": floats(3, 6), "two": lengths(2, 3), "any": lengths(6)}, "node 'y'"),
             ({"x": floats(3, 6), "two": lengths(2, 4), "any": lengths(3, 4)}, "node 'z'"),
             ({"x": floats(3, 6), "two": lengths(2, 4), "any": lengths(7, -1)}, "node 'z'")]
    return made, cases, wrong


def loop_over_sequence():
    """An iteration for each value makes another; sizes differ."""
    body = graph([node("SequenceAt", "s i", "v"), node("Relu", "v", "r"),
                  node("Identity", "c", "d"), node("SequenceInsert", "a r", "b")],
                 [value("i", INT64, []), value("c", BOOL, []), sequence("a")],
                 [value("d", BOOL, []), sequence("b")])
    made = model([node("SequenceLength", "s", "n"), node("SequenceEmpty", "", "e"),
                  node("Loop", "n - e", "y", body=body),
                  node("ConcatFromSequence", "y", "z", axis=0)],
                 [sequence("s", ["n", 3])], [sequence("y"), value("z", FLOAT)])
    return made, [{"s": VARIED}, {"s": VARIED[:1]}], []


def loop_that_grows():
    """A sequence that iterations make longer, of longer and longer values."""
    body = graph([node("Concat", "x x", "x2", axis=0), node("Identity", "c", "d"),
                  node("SequenceInsert", "a x", "b")],
                 [value("i", INT64, []), value("c", BOOL, []), value("x", FLOAT, None),
                  sequence("a")],
                 [value("d", BOOL, []), value("x2", FLOAT, None), sequence("b")])
    made = model([node("Loop", "n - x s", "last y", body=body)],
                 [value("n", INT64, []), value("x", FLOAT, ["k"]),
                  sequence("s", ["m"])],
                 [value("last", FLOAT), sequence("y")])
    return made, [{"n": number(n), "x": floats(k), "s": s} for n, k, s in
                  ((3, 2, []), (0, 3, [floats(4)]), (4, 1, [floats(1), floats(5)]))], []


def loop_that_shrinks():
    """Each iteration takes the first value away."""
    body = graph([node("SequenceErase", "a zero", "b"), node("SequenceLength", "b", "n"),
                  node("Greater", "n one", "d")],
                 [value("i", INT64, []), value("c", BOOL, []), sequence("a")],
                 [value("d", BOOL, []), sequence("b")])
    made = model([constant("zero", number(0)), constant("one", number(1)),
                  constant("true", np.array(True)),
                  node("Loop", "- true s", "y", body=body)],
                 [sequence("s", ["n", 3])], [sequence("y")])
    return made, [{"s": VARIED}, {"s": VARIED * 3}], []


def branches_of_different_lengths():
    """One branch gives two values, the other three of another size."""
    then = graph([node("SequenceConstruct", "x x", "t")], [], [sequence("t")])
    other = graph([node("Concat", "x x", "xx", axis=0),
                   node("SequenceConstruct", "xx x xx", "e")], [], [sequence("e")])
    made = model([node("If", "c", "y", then_branch=then, else_branch=other),
                  node("SequenceAt", "y i", "v")],
                 [value("c", BOOL, []), value("x", FLOAT, ["n", 2]), value("i", INT64, [])],
                 [sequence("y"), value("v", FLOAT)])
    return made, [{"c": np.array(c), "x": floats(n, 2), "i": number(1)}
                  for c, n in ((True, 3), (False, 1))], []


def optional_tensor():
    """A value, or a sum of what else there is."""
    then = graph([node("OptionalGetElement", "o", "t")], [], [value("t", FLOAT)])
    other = graph([node("Neg", "x", "e")], [], [value("e", FLOAT)])
    made = model([node("OptionalHasElement", "o", "h"),
                  node("If", "h", "y", then_branch=then, else_branch=other)],
                 [optional("o", value("o", FLOAT, ["n"])), value("x", FLOAT, ["m"])],
                 [value("h", BOOL), value("y", FLOAT)])
    return made, [{"o": floats(3), "x": floats(2)}, {"o": None, "x": floats(2)}], []


def optional_must_be_there():
    """An optional is read without a look whether it has a value."""
    made = model([node("OptionalGetElement", "o", "v"), node("Exp", "v", "y")],
                 [optional("o", value("o", FLOAT, ["n", 2]))], [value("y", FLOAT)])
    return made, [{"o": floats(3, 2)}], [({"o": None}, "node 'v'")]


def optional_sequence():
    """A sequence that may be absent is handed on, or replaced."""
    then = graph([node("OptionalGetElement", "o", "t")], [], [sequence("t")])
    other = graph([node("SequenceConstruct", "x x", "e")], [], [sequence("e")])
    made = model([node("OptionalHasElement", "o", "h"),
                  node("If", "h", "y", then_branch=then, else_branch=other),
                  node("SequenceLength", "y", "n")],
                 [optional("o", sequence("o", ["n"])), value("x", FLOAT, ["m"])],
                 [sequence("y"), value("n", INT64)])
    return made, [{"o": [floats(3), floats(1)], "x": floats(2)},
                  {"o": None, "x": floats(2)}], []


def any_ranks():
    """Values of different ranks come, go and stay."""
    made = model([node("SequenceInsert", "s x i", "more"), node("SequenceErase", "s i", "less"),
                  node("SequenceLength", "more", "n")],
                 [sequence("s"), value("x", FLOAT, ["a", "b"]), value("i", INT64, [])],
                 [sequence("more"), sequence("less"), value("n", INT64)])
    mixed = [floats(3), np.array(2, np.float32), floats(2, 1, 2), floats(0, 4)]
    return made, [{"s": mixed, "x": floats(2, 2), "i": number(i)} for i in (0, 2, -1)], [
        ({"s": mixed, "x": floats(1, 1), "i": number(4)}, "node 'less'")]


def branch_in_loop():
    """An iteration adds a value only if it is positive."""
    then = graph([node("SequenceInsert", "a v", "t")], [], [sequence("t")])
    other = graph([node("Identity", "a", "e")], [], [sequence("e")])
    body = graph([node("SequenceAt", "s i", "v"), node("ReduceSum", "v", "sum", keepdims=0),
                  node("Greater", "sum zero", "p"),
                  node("If", "p", "b", then_branch=then, else_branch=other),
                  node("Identity", "c", "d")],
                 [value("i", INT64, []), value("c", BOOL, []), sequence("a")],
                 [value("d", BOOL, []), sequence("b")])
    made = model([constant("zero", np.float32(0)), node("SequenceLength", "s", "n"),
                  node("SequenceEmpty", "", "e0"), node("Loop", "n - e0", "y", body=body)],
                 [sequence("s", ["n", 3])], [sequence("y")])
    return made, [{"s": VARIED}, {"s": VARIED[::-1] + VARIED}, {"s": []}], []


def in_type(kind: int, dtype):
    """A function for values of one element type."""
    def build():
        made = model([node("SequenceInsert", "s x i", "y"), node("SequenceAt", "y i", "v"),
                      node("ConcatFromSequence", "y", "z", axis=1)],
                     [sequence("s", [2, "n"], kind), value("x", kind, [2, "m"]),
                      value("i", INT64, [])],
                     [sequence("y", None, kind), value("v", kind), value("z", kind)])
        values = [floats(2, k).astype(dtype) for k in (1, 3)]
        return made, [{"s": values, "x": floats(2, 2).astype(dtype), "i": number(i)}
                      for i in (0, 1, -1)], []
    build.__name__ = f"in_{np.dtype(dtype).name}"
    return build


TYPES = [in_type(TensorProto.FLOAT16, np.float16), in_type(TensorProto.DOUBLE, np.float64),
         in_type(BOOL, np.bool_), in_type(TensorProto.UINT8, np.uint8),
         in_type(INT64, np.int64)]

MODELS = TYPES + [optional_sequence, any_ranks, branch_in_loop] + [at_any_position, at_in_alike, insert_and_erase, insert_in_alike,
          concat_of_any, concat_uneven, split_evenly, split_by_lengths,
          loop_over_sequence, loop_that_grows, loop_that_shrinks,
          branches_of_different_lengths, optional_tensor, optional_must_be_there]
