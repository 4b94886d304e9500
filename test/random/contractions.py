"""Rules for products, convolutions and pools."""

import numpy as np
from builder import FLOATS, Builder, Reject, Value

WIDTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)


def weights(b: Builder, shape: list, value: Value, count: int) -> Value:
    """Returns a constant that keeps the magnitude of sums of `count` products."""
    grid = value.exact and count < 40 and b.chance(0.3)
    return b.constant(b.numbers(shape, value.dtype, grid, max(1, count) ** -0.5))


def last_known(value: Value, axis: int = -1) -> int:
    """Returns a size that is the same in all runs and not zero."""
    if not value.fixed(axis) or value.size(axis) == 0:
        raise Reject("not a known size")
    return value.size(axis)


def matmul_right(b: Builder) -> Value:
    """A product with a constant at the right: a matrix, a vector or a batch."""
    value = b.pick_float(1)
    inner = last_known(value)
    shape = [inner, b.random.choice(WIDTHS)]
    way = b.random.random()
    if way < 0.15:
        shape = [inner]
    elif way < 0.3 and value.rank > 2 and value.fixed(-3):
        shape = [value.size(-3), *shape]
    elif way < 0.4:
        shape = [b.random.choice([1, 2, 3]), *shape] if value.rank < 3 else [1, *shape]
    result = b.op("MatMul", value, weights(b, shape, value, inner))
    if len(shape) == 2 and b.chance(0.5):
        return b.op("Add", result, b.constant(b.numbers([shape[1]], value.dtype)))
    return result


def matmul_left(b: Builder) -> Value:
    """A product with a constant at the left."""
    value = b.pick_float(2)
    inner = last_known(value, -2)
    shape = [inner] if b.chance(0.2) else [b.random.choice(WIDTHS), inner]
    return b.op("MatMul", weights(b, shape, value, inner), value)


def scaled(b: Builder, value: Value, count: int) -> Value:
    """Multiplies by a power of two, which keeps sums in range."""
    if count < 2:
        return value
    factor = 2.0 ** -round(np.log2(count) / 2)
    return b.op("Mul", value, b.constant(factor, value.dtype))


def matmul_values(b: Builder) -> Value:
    """A product of two values: batches, broadcast or not, and vectors."""
    left = b.pick_float(1)
    right = b.pick(
        lambda v: v.dtype == left.dtype
        and v.rank
        and v.dims[max(0, v.rank - 2)] == left.dims[-1]
    )
    return scaled(b, b.op("MatMul", left, right), left.size(-1))


def transposed(b: Builder, value: Value) -> Value:
    """Swaps the last two axes."""
    order = list(range(value.rank))
    order[-2:] = reversed(order[-2:])
    return b.op("Transpose", value, perm=order)


def scores(b: Builder) -> Value:
    """x @ transpose(x), and sometimes softmax of that @ x, as attention does."""
    value = b.pick_float(2, accept=lambda v: not v.empty())
    result = scaled(b, b.op("MatMul", value, transposed(b, value)), value.size(-1))
    if b.chance(0.5):
        return result
    return b.op("MatMul", b.op("Softmax", result, axis=-1), value)


def gemm(b: Builder) -> Value:
    """Gemm with all of its attributes."""
    value = b.pick_float(2, 2)
    turn_left, turn_right = int(b.chance(0.3)), int(b.chance(0.4))
    inner = last_known(value, 0 if turn_left else 1)
    width = b.random.choice(WIDTHS)
    shape = [width, inner] if turn_right else [inner, width]
    operands = [value, weights(b, shape, value, inner)]
    rows = value.dims[1 if turn_left else 0]
    if b.chance(0.6):
        bias = b.random.choice([[width], [1, width], [1], [1, 1]])
        if len(set(rows)) == 1 and b.chance(0.3):
            bias = b.random.choice([[rows[0], 1], [rows[0], width]])
        operands.append(b.constant(b.numbers(bias, value.dtype)))
    return b.op(
        "Gemm",
        *operands,
        transA=turn_left,
        transB=turn_right,
        alpha=b.random.choice([1.0, 0.5, 1.5]),
        beta=b.random.choice([1.0, 0.25]),
    )


def window(b: Builder, value: Value, dilate: bool) -> dict:
    """Returns kernel, strides, dilations and pads that fit a value's sizes."""
    axes = range(2, value.rank)
    kernel = [b.random.choice([1, 2, 3, 3, 5]) for _ in axes]
    spread = [b.random.choice([1, 1, 2]) if dilate else 1 for _ in axes]
    pads = [[0, 0] for _ in axes]
    if b.chance(0.6):
        limits = [size if dilate else size - 1 for size in kernel]
        pads = [[b.random.randint(0, min(2, limit)) for _ in "ab"] for limit in limits]
    for axis, size, step, (before, after) in zip(axes, kernel, spread, pads, strict=True):
        if value.size(axis) + before + after < step * (size - 1) + 1 or value.size(axis) < 1:
            raise Reject("the window doesn't fit")
    result = {
        "kernel_shape": kernel,
        "strides": [b.random.choice([1, 1, 2, 3]) for _ in axes],
        "pads": [pair[0] for pair in pads] + [pair[1] for pair in pads],
    }
    if dilate:
        result["dilations"] = spread
    return result


def convolution(b: Builder) -> Value:
    """Conv over one or two dimensions: full, in groups, or for each channel."""
    value = b.pick_float(3, 4)
    channels = last_known(value, 1)
    groups = b.random.choice([n for n in (1, 1, 2, 3, channels) if channels % n == 0])
    outputs = groups * b.random.choice([1, 1, 2, 3, 4, 8])
    attributes = window(b, value, dilate=True)
    shape = [outputs, channels // groups, *attributes["kernel_shape"]]
    operands = [value, weights(b, shape, value, int(np.prod(shape[1:])))]
    if b.chance(0.5):
        operands.append(b.constant(b.numbers([outputs], value.dtype)))
    return b.op("Conv", *operands, group=groups, **attributes)


def pool(b: Builder) -> Value:
    """A maximum or mean over windows."""
    value = b.pick_float(3, 4)
    last_known(value, 1)
    attributes = window(b, value, dilate=False)
    if b.chance(0.5):
        ceil = int(b.chance(0.3) and not any(attributes["pads"]))
        return b.op("MaxPool", value, ceil_mode=ceil, **attributes)
    return b.op("AveragePool", value, count_include_pad=int(b.chance(0.5)), **attributes)


def global_pool(b: Builder) -> Value:
    """A pool over all places, and sometimes the gate that follows it."""
    value = b.pick_float(3, 5, accept=lambda v: not v.empty())
    result = b.op(b.random.choice(["GlobalAveragePool", "GlobalMaxPool"]), value)
    if b.chance(0.5):
        return b.op("Mul", value, b.op("Sigmoid", result))
    return result


def batch_norm(b: Builder) -> Value:
    """BatchNormalization with constants."""
    value = b.pick(lambda v: v.dtype in FLOATS and v.rank >= 2)
    shape = [last_known(value, 1)]
    numbers = [b.constant(b.numbers(shape, value.dtype)) for _ in range(3)]
    variance = np.abs(b.numbers(shape, value.dtype)) + value.dtype(0.5)
    return b.op("BatchNormalization", value, *numbers, b.constant(variance, value.dtype))


def transposed_convolution(b: Builder) -> Value:
    """ConvTranspose over one or two dimensions."""
    value = b.pick_float(3, 4, accept=lambda v: not v.empty())
    channels = last_known(value, 1)
    groups = b.random.choice([n for n in (1, 1, 2, channels) if channels % n == 0])
    outputs = b.random.choice([1, 2, 3])
    axes = range(2, value.rank)
    kernel = [b.random.choice([1, 2, 3]) for _ in axes]
    shape = [channels, outputs, *kernel]
    count = channels // groups * int(np.prod(kernel))
    strides = [b.random.choice([1, 2]) for _ in axes]
    operands = [value, weights(b, shape, value, count)]
    return b.op("ConvTranspose", *operands, group=groups, strides=strides, kernel_shape=kernel)


RULES = {
    matmul_right: 8,
    matmul_left: 3,
    matmul_values: 4,
    scores: 3,
    gemm: 3,
    convolution: 14,
    pool: 4,
    global_pool: 2,
    batch_norm: 1,
    transposed_convolution: 1,
}
