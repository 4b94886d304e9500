"""Rules for groups of nodes as exporters write them: what passes look for, whole
or with something else in between.
"""

import numpy as np
from builder import Builder, Reject, Value
from contractions import convolution, last_known, scaled, weights
from elementwise import partner_shape
from reductions import reduced


def full(value: Value) -> bool:
    """Returns whether a value has elements in all runs."""
    return not value.empty()


def scalar(b: Builder, number: float, value: Value) -> Value:
    """Returns a constant of a value's type; sometimes of rank 1."""
    return b.constant([number] if value.rank and b.chance(0.2) else number, value.dtype)


def gelu(b: Builder) -> Value:
    """GELU by the error function or by tanh, factors in any order."""
    x = b.pick_float()
    if b.chance(0.5):
        inner = b.op("Erf", b.op("Div", x, scalar(b, 2**0.5, x)))
    else:
        cube = b.op("Mul", b.op("Pow", x, b.constant(3, x.dtype)), scalar(b, 0.044715, x))
        inner = b.op("Tanh", b.op("Mul", b.op("Add", x, cube), scalar(b, (2 / np.pi) ** 0.5, x)))
    outer = b.op("Add", inner, scalar(b, 1, x))
    if b.chance(0.5):
        return b.op("Mul", b.op("Mul", x, scalar(b, 0.5, x)), outer)
    return b.op("Mul", b.op("Mul", outer, x), scalar(b, 0.5, x))


def swish(b: Builder) -> Value:
    """x * sigmoid(x), or its hard form."""
    x = b.pick_float()
    if b.chance(0.5):
        return b.op("Mul", x, b.op("Sigmoid", x))
    limits = [b.constant(limit, x.dtype) for limit in (0, 6)]
    gate = b.op("Div", b.op("Clip", b.op("Add", x, scalar(b, 3, x)), *limits), scalar(b, 6, x))
    return b.op("Mul", x, gate) if b.chance(0.6) else gate


def spelled_softmax(b: Builder) -> Value:
    """exp(x - max) by its sum, or the logarithm of that."""
    x = b.pick_float(1, accept=full)
    axis = b.axis(x)
    away = b.op("Sub", x, reduced(b, "ReduceMax", x, [axis], 1))
    power = b.op("Exp", away)
    total = reduced(b, "ReduceSum", power, [axis], 1)
    if b.chance(0.3):
        return b.op("Sub", away, b.op("Log", total))
    return b.op("Div", power, total)


def masked_softmax(b: Builder) -> Value:
    """Softmax of what a mask leaves."""
    x = b.pick_float(2, accept=full)
    mask = b.constant(b.numbers(partner_shape(b, x), np.bool_))
    return b.op("Softmax", b.op("Where", mask, x, b.constant(-20, x.dtype)), axis=-1)


def heads(b: Builder) -> Value:
    """Attention of several heads over [batch, place, channel]."""
    x = b.pick_float(3, 3, accept=full)
    channels = last_known(x)
    count = b.random.choice([n for n in (1, 2, 3, 4) if channels % n == 0])

    def head(order: list) -> Value:
        y = b.op("MatMul", x, weights(b, [channels, channels], x, channels))
        y = b.op("Add", y, b.constant(b.numbers([channels], x.dtype)))
        y = b.op("Reshape", y, b.sizes([0, 0, count, channels // count]))
        return b.op("Transpose", y, perm=order)

    score = scaled(b, b.op("MatMul", head([0, 2, 1, 3]), head([0, 2, 3, 1])), channels)
    mixed = b.op("MatMul", b.op("Softmax", score, axis=-1), head([0, 2, 1, 3]))
    mixed = b.op("Transpose", mixed, perm=[0, 2, 1, 3])
    return b.op("Reshape", mixed, b.sizes([0, 0, -1]))


def rotary(b: Builder) -> Value:
    """x * cos + (halves of x exchanged, one negated) * sin."""
    x = b.pick_float(2, accept=lambda v: v.fixed(v.rank - 1) and v.size(v.rank - 1) % 2 == 0)
    half = last_known(x) // 2
    ends = [b.sizes([n]) for n in (0, half, 2**31 - 1)]
    axis = b.sizes([-1])
    first = b.op("Slice", x, ends[0], ends[1], axis)
    second = b.op("Slice", x, ends[1], ends[2], axis)
    turned = b.op("Concat", b.op("Neg", second), first, axis=-1)
    angles = [b.constant(b.numbers([2 * half], x.dtype)) for _ in range(2)]
    return b.op("Add", b.op("Mul", x, angles[0]), b.op("Mul", turned, angles[1]))


def conv_block(b: Builder) -> Value:
    """A convolution, factors and addends for each channel, an activation."""
    y = convolution(b)
    shape = [y.size(1)] + [1] * (y.rank - 2)
    inner = y
    if b.chance(0.7):
        y = b.op("Mul", y, b.constant(b.numbers(shape, y.dtype)))
    if b.chance(0.7):
        y = b.op("Add", y, b.constant(b.numbers(shape, y.dtype)))
    y = b.op(b.random.choice(["Relu", "HardSwish", "Sigmoid", "LeakyRelu"]), y)
    if b.chance(0.4):
        y = b.op("Add", y, inner)
    return y


def group_norm(b: Builder) -> Value:
    """A norm over groups of channels, by reshapes."""
    x = b.pick_float(3, 4, accept=full)
    channels = last_known(x, 1)
    groups = b.random.choice([n for n in (1, 2, 3, 4, channels) if channels % n == 0])
    y = b.op("Reshape", x, b.sizes([0, groups, -1]))
    away = b.op("Sub", y, reduced(b, "ReduceMean", y, [2], 1))
    spread = reduced(b, "ReduceMean", b.op("Mul", away, away), [2], 1)
    spread = b.op("Sqrt", b.op("Add", spread, b.constant(0.125, x.dtype)))
    y = b.op("Reshape", b.op("Div", away, spread), b.op("Shape", x))
    shape = [channels] + [1] * (x.rank - 2)
    return b.op("Mul", y, b.constant(b.numbers(shape, x.dtype)))


def size_of(b: Builder, value: Value, axis: int) -> Value:
    """Returns a size as a vector of one element."""
    if b.chance(0.5):
        return b.op("Gather", b.op("Shape", value), b.sizes([axis]))
    return b.op("Slice", b.op("Shape", value), b.sizes([axis]), b.sizes([axis + 1]))


def positions(b: Builder) -> Value:
    """Adds the first rows of a table, as many as there are."""
    x = b.pick_float(2, 4, accept=full)
    if max(x.dims[-2]) > 127:
        raise Reject("too many rows")
    table = b.constant(b.numbers([127, last_known(x)], x.dtype))
    return b.op("Add", x, b.op("Slice", table, b.sizes([0]), size_of(b, x, x.rank - 2)))


def counted_mask(b: Builder) -> Value:
    """Keeps x where the column is not beyond the row, by ranges of sizes."""
    x = b.pick_float(2, 4, accept=full)
    ranges = []
    for axis in (x.rank - 2, x.rank - 1):
        limit = b.op("Squeeze", size_of(b, x, axis), b.sizes([0]))
        ends = [b.constant(n, np.int64) for n in (0, 1)]
        ranges.append(b.op("Range", ends[0], limit, ends[1]))
    row = b.op("Unsqueeze", ranges[0], b.sizes([1]))
    return b.op("Where", b.op("LessOrEqual", ranges[1], row), x, b.constant(-1, x.dtype))


def filled(b: Builder) -> Value:
    """Joins a value with a constant of its shape."""
    x = b.pick_float(1, accept=full)
    fill = b.op("Expand", b.constant(0.5, x.dtype), b.op("Shape", x))
    return b.op("Concat", x, fill, axis=b.axis(x))


def patches(b: Builder) -> Value:
    """Cuts an image into squares: reshape, transpose, reshape."""
    x = b.pick_float(4, 4, accept=full)
    height, width = last_known(x, 2), last_known(x, 3)
    side = [b.random.choice([n for n in (1, 2, 3, 4) if size % n == 0]) for size in (height, width)]
    shape = [last_known(x, 1), height // side[0], side[0], width // side[1] * side[1]]
    y = b.op("Reshape", x, b.sizes([-1, *shape]))
    y = b.op("Transpose", y, perm=b.random.choice([[0, 2, 4, 1, 3], [0, 3, 1, 2, 4]]))
    return b.op("Reshape", y, b.sizes([0, 0, -1]))


def einsum(b: Builder) -> Value:
    """Products written as sums over letters."""
    equation, rank = b.random.choice(
        [("bij,bkj->bik", 3), ("bij,bij->bi", 3), ("bij,bij->", 3), ("ij,kj->ki", 2)]
    )
    x = b.pick_float(rank, rank, accept=full)
    y = b.pick(lambda v: v.dtype == x.dtype and v.dims == x.dims)
    return scaled(b, b.op("Einsum", x, y, equation=equation), x.size(-1))


def scatter(b: Builder) -> Value:
    """Writes constants, or adds them, at constant places."""
    x = b.pick_float(1, accept=lambda v: full(v) and v.fixed(0) and v.rank <= 3)
    count = b.random.randint(1, x.size(0))
    places = b.random.sample(range(x.size(0)), count)
    if x.rank > 1 and not all(x.fixed(axis) for axis in range(x.rank)):
        raise Reject("not known sizes")
    shape = [count, *x.arrays[0].shape[1:]]
    updates = b.constant(b.numbers(shape, x.dtype))
    reduction = b.random.choice(["none", "none", "add"])
    if b.chance(0.5):
        indices = b.sizes([[place] for place in places])
        return b.op("ScatterND", x, indices, updates, reduction=reduction)
    spread = np.broadcast_to(np.reshape(places, [count] + [1] * (x.rank - 1)), shape)
    return b.op("ScatterElements", x, b.sizes(spread), updates, axis=0, reduction=reduction)


def gather_nd(b: Builder) -> Value:
    """GatherND by constant indices of one axis or two."""
    x = b.pick(lambda v: v.rank >= 2 and full(v))
    depth = b.random.randint(1, 2)
    rows = b.random.randint(1, 4)
    indices = [[b.random.randrange(x.size(a)) for a in range(depth)] for _ in range(rows)]
    return b.op("GatherND", x, b.sizes(indices))


def instance_norm(b: Builder) -> Value:
    """InstanceNormalization."""
    x = b.pick_float(3, 5, accept=full)
    shape = [last_known(x, 1)]
    numbers = [b.constant(b.numbers(shape, x.dtype)) for _ in range(2)]
    return b.op("InstanceNormalization", x, *numbers, epsilon=0.1)


RULES = {
    gelu: 3,
    swish: 2,
    spelled_softmax: 3,
    masked_softmax: 3,
    heads: 3,
    rotary: 2,
    conv_block: 9,
    group_norm: 3,
    positions: 3,
    counted_mask: 2,
    filled: 2,
    patches: 3,
    einsum: 2,
    scatter: 2,
    gather_nd: 1,
    instance_norm: 1,
}
