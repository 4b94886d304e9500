"""Rules for nodes that reduce, normalise or order along axes."""

import numpy as np
from builder import FLOATS, Builder, Reject, Value
from elementwise import MARGIN

REDUCTIONS = (
    "ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare"
    " ReduceLogSumExp"
).split()


def some_axes(b: Builder, value: Value) -> list:
    """Returns one axis or more, in any order."""
    if value.rank == 0 or value.empty():
        raise Reject("nothing to reduce")
    count = 1 if b.chance(0.6) else b.random.randint(1, value.rank)
    axes = b.random.sample(range(value.rank), count)
    return [b.spelled(axis, value.rank) for axis in axes]


def reduced(b: Builder, op: str, value: Value, axes: list, keepdims: int) -> Value:
    """Adds a reduction in the spelling of the opset."""
    if op == "ReduceSum" or b.opset >= 18:
        return b.op(op, value, b.sizes(axes), keepdims=keepdims)
    return b.op(op, value, axes=axes, keepdims=keepdims)


def reduction(b: Builder) -> Value:
    """A reduction over one axis or several."""
    value = b.pick_float(1)
    op = b.random.choice(REDUCTIONS)
    keepdims = int(b.chance(0.6))
    if op == "ReduceL2":
        value = b.op("Add", b.op("Abs", value), b.constant(0.5, value.dtype))
    return reduced(b, op, value, some_axes(b, value), keepdims)


def whole_reduction(b: Builder) -> Value:
    """A reduction over all axes, which are not named."""
    value = b.pick_float(1, accept=lambda v: not v.empty())
    return b.op(b.random.choice(["ReduceSum", "ReduceMean", "ReduceMax"]), value, keepdims=0)


def integer_reduction(b: Builder) -> Value:
    """A reduction of integers."""
    value = b.pick(lambda v: v.dtype in (np.int32, np.int64))
    op = b.random.choice(["ReduceSum", "ReduceMax", "ReduceMin"])
    return reduced(b, op, value, some_axes(b, value), int(b.chance(0.5)))


def softmax(b: Builder) -> Value:
    """Softmax or its logarithm along an axis."""
    value = b.pick_float(1, accept=lambda v: not v.empty())
    axis = b.spelled(b.axis(value), value.rank)
    return b.op(b.random.choice(["Softmax", "Softmax", "LogSoftmax"]), value, axis=axis)


def spelled_norm(b: Builder) -> Value:
    """A layer norm, or one without means, node by node."""
    value = b.pick_float(1, accept=lambda v: not v.empty())
    axis = value.rank - 1 if b.chance(0.7) else b.axis(value)
    centred = value
    if b.chance(0.7):
        centred = b.op("Sub", value, reduced(b, "ReduceMean", value, [axis], 1))
    square = b.op("Mul", centred, centred)
    if b.chance(0.5):
        square = b.op("Pow", centred, b.constant(2, value.dtype))
    spread = reduced(b, "ReduceMean", square, [axis], 1)
    spread = b.op("Sqrt", b.op("Add", spread, b.constant(0.125, value.dtype)))
    result = b.op("Div", centred, spread)
    if axis == value.rank - 1 and value.fixed(axis) and b.chance(0.7):
        shape = [value.size(axis)]
        result = b.op("Mul", result, b.constant(b.numbers(shape, value.dtype)))
        result = b.op("Add", result, b.constant(b.numbers(shape, value.dtype)))
    return result


def layer_norm(b: Builder) -> Value:
    """LayerNormalization over the last axis."""
    value = b.pick_float(1, accept=lambda v: not v.empty() and v.fixed(v.rank - 1))
    shape = [value.size(value.rank - 1)]
    operands = [b.constant(b.numbers(shape, value.dtype)) for _ in range(b.random.randint(1, 2))]
    return b.op("LayerNormalization", value, *operands, axis=-1, epsilon=0.1)


def cumulative(b: Builder) -> Value:
    """CumSum in either direction."""
    value = b.pick(lambda v: v.dtype in (np.float32, np.float64, np.int32, np.int64) and v.rank)
    axis = b.constant(b.spelled(b.axis(value), value.rank), np.int64)
    return b.op("CumSum", value, axis, exclusive=int(b.chance(0.4)), reverse=int(b.chance(0.4)))


def distinct(value: Value, axis: int) -> bool:
    """Returns whether rounding errors can't change an order. Equal elements are
    safe where they are exact: the standard says which is first."""
    if value.exact:
        return True
    for array in value.arrays:
        ordered = np.sort(array.astype(np.float64), axis=axis)
        steps = np.diff(ordered, axis=axis)
        if steps.size and steps.min() < MARGIN[array.dtype.name]:
            return False
    return True


def ordered(b: Builder) -> tuple:
    """Returns a value and an axis along which its order is certain."""
    value = b.pick_exact(lambda v: v.rank and v.dtype in (*FLOATS, np.int64))
    if b.chance(0.4):
        value = b.pick_float(1)
    axis = b.axis(value)
    if value.empty() or not distinct(value, axis):
        raise Reject("no certain order")
    return value, axis


def arg_extreme(b: Builder) -> Value:
    """ArgMax or ArgMin."""
    value, axis = ordered(b)
    return b.op(
        b.random.choice(["ArgMax", "ArgMin"]),
        value,
        axis=b.spelled(axis, value.rank),
        keepdims=int(b.chance(0.5)),
    )


def top_k(b: Builder) -> Value:
    """TopK; both results may be used."""
    value, axis = ordered(b)
    count = b.random.randint(1, value.size(axis))
    values, places = b.node(
        "TopK",
        [value, b.sizes([count])],
        2,
        axis=b.spelled(axis, value.rank),
        largest=int(b.chance(0.6)),
    )
    b.values.append(places)
    return values


RULES = {
    reduction: 8,
    whole_reduction: 1,
    integer_reduction: 2,
    softmax: 5,
    spelled_norm: 3,
    layer_norm: 2,
    cumulative: 2,
    arg_extreme: 2,
    top_k: 2,
}
