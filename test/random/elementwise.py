"""Rules for nodes that compute each element on its own."""

import numpy as np
from builder import FLOATS, INTEGERS, Builder, Reject, Value
from onnx import helper

# Away from a jump by this much, rounding errors don't choose its side.
MARGIN = {"float16": 0.05, "float32": 1e-3, "float64": 1e-3}

SMOOTH = (
    "Relu Sigmoid Tanh Neg Abs LeakyRelu HardSwish HardSigmoid Erf Softplus Elu Selu Softsign"
    " Sin Cos Celu Atan Identity"
).split()
SMOOTH_20 = ["Gelu", "Mish"]


def unary(b: Builder) -> Value:
    """A smooth function."""
    return b.op(b.random.choice(SMOOTH + (SMOOTH_20 if b.opset >= 20 else [])), b.pick_float())


def unary_of_range(b: Builder) -> Value:
    """A function that is well conditioned on a part of the numbers only."""
    op = b.random.choice(["Exp", "Sqrt", "Log", "Reciprocal", "Asinh", "Sinh"])
    if op in ("Exp", "Sinh", "Asinh"):
        return b.op(op, b.pick_float(accept=lambda v: v.high() < 3.5 and v.low() > -6))
    return b.op(op, positive(b, b.pick_float(), 0.25))


def positive(b: Builder, value: Value, least: float) -> Value:
    """Returns the value if it is at least so large, or |value| + a constant."""
    if value.low() >= least:
        return value
    return b.op("Add", b.op("Abs", value), b.constant(max(least, 0.5), value.dtype))


def away_from_steps(value: Value, offset: float = 0.0) -> bool:
    """Returns whether no element is near a whole number (plus an offset)."""
    if value.exact:
        return True
    margin = MARGIN[value.arrays[0].dtype.name]
    for array in value.arrays:
        moved = array.astype(np.float64) - offset
        if np.any(np.abs(moved - np.rint(moved)) < margin):
            return False
    return True


def away_from_zero(value: Value) -> bool:
    """Returns whether no element is near zero, unless it is just that."""
    margin = 0 if value.exact else MARGIN[value.arrays[0].dtype.name]
    return all(not np.any(np.abs(array.astype(np.float64)) < margin) for array in value.arrays)


def stepped(b: Builder) -> Value:
    """Floor and the like, where rounding errors don't matter."""
    op = b.random.choice(["Floor", "Ceil", "Round", "Sign"])
    value = b.pick_float()
    safe = away_from_zero(value) if op == "Sign" else away_from_steps(value, 0.5 * (op == "Round"))
    if not safe:
        raise Reject("near a step")
    return b.op(op, value)


def partner_shape(b: Builder, value: Value) -> list:
    """Returns the shape of a constant that broadcasts with a value."""
    shape = []
    for axis in range(value.rank):
        keep = value.fixed(axis) and b.chance(0.6)
        shape.append(value.size(axis) if keep else 1)
    way = b.random.random()
    if way < 0.3:
        return shape[b.random.randint(0, value.rank) :]
    if way < 0.4 and value.rank < 4:
        return [b.random.choice([1, 2, 3]), *shape]
    return shape


def widened_constant(b: Builder, value: Value) -> list:
    """Returns a shape in which ones of the value's shape become larger."""
    shape = partner_shape(b, value)
    first = value.rank - len(shape)
    for axis in range(max(first, 0), value.rank):
        if set(value.dims[axis]) == {1} and b.chance(0.5):
            shape[axis - first] = b.random.choice([2, 3, 5, 8])
    return shape


def broadcasts(left: Value, right: Value) -> bool:
    """Returns whether sizes are equal, or 1 in every run."""
    pairs = zip(reversed(left.dims), reversed(right.dims), strict=False)
    return all(a == b or set(a) == {1} or set(b) == {1} for a, b in pairs)


def partner(b: Builder, value: Value) -> Value:
    """Returns another operand of a broadcasting operator."""
    way = b.random.random()
    if way < 0.45:
        return b.pick(lambda other: other.dtype == value.dtype and broadcasts(value, other))
    if way < 0.55 and value.dtype in FLOATS and value.rank and not value.empty():
        axes = [b.axis(value)]
        if b.opset >= 18:
            return b.op("ReduceMax", value, b.sizes(axes))
        return b.op("ReduceMax", value, axes=axes)
    numbers = b.numbers(widened_constant(b, value), value.dtype, grid=value.exact)
    return b.constant(numbers)


def binary(b: Builder) -> Value:
    """An operator of two operands with broadcasting."""
    left = b.pick(lambda v: v.dtype != np.bool_)
    right = partner(b, left)
    op = b.random.choice(["Add", "Add", "Sub", "Mul", "Mul", "Max", "Min"])
    if b.chance(0.5):
        left, right = right, left
    return b.op(op, left, right)


def residual(b: Builder) -> Value:
    """The sum of two values of one shape."""
    left = b.pick_float()
    right = b.pick(lambda v: v is not left and v.dtype == left.dtype and v.dims == left.dims)
    return b.op("Add", left, right)


def divide(b: Builder) -> Value:
    """A quotient whose divisor keeps away from zero."""
    left = b.pick_float()
    return b.op("Div", left, positive(b, partner(b, left), 0.4))


def power(b: Builder) -> Value:
    """A power with a constant exponent."""
    exponent = b.random.choice([0.5, 2.0, 3.0, -1.0, 1.5])
    value = b.pick_float(accept=lambda v: v.high() < 8)
    if exponent != 2.0:
        value = positive(b, value, 0.4)
    return b.op("Pow", value, b.constant(exponent, value.dtype))


def integer_divide(b: Builder) -> Value:
    """Quotient or remainder of integers by constants."""
    value = b.pick(lambda v: v.dtype in INTEGERS)
    shape = partner_shape(b, value)
    divisor = b.data.integers(1, 7, shape)
    if value.dtype != np.uint8 and b.chance(0.5):
        divisor = -divisor
    return b.op(b.random.choice(["Div", "Mod"]), value, b.constant(divisor, value.dtype))


def variadic(b: Builder) -> Value:
    """Sum, mean, maximum or minimum of three."""
    value = b.pick_float()
    operands = [value, partner(b, value), partner(b, value)]
    return b.op(b.random.choice(["Sum", "Mean", "Max", "Min"]), *operands)


def gap(left: Value, right: Value) -> float:
    """Returns the least distance of two values anywhere."""
    pairs = zip(left.arrays, right.arrays, strict=True)
    gaps = [np.abs(x.astype(np.float64) - y.astype(np.float64)) for x, y in pairs]
    return min((float(g.min()) for g in gaps if g.size), default=np.inf)


def comparison(b: Builder) -> Value:
    """A comparison whose answer rounding errors can't change."""
    left = b.pick_exact() if b.chance(0.7) else b.pick_float()
    right = partner(b, left)
    if not (left.exact and right.exact) and gap(left, right) < MARGIN[left.arrays[0].dtype.name]:
        raise Reject("too close to compare")
    op = b.random.choice(["Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"])
    return b.op(op, left, right)


def logical(b: Builder) -> Value:
    """An operator on booleans."""
    value = b.pick(lambda v: v.dtype == np.bool_)
    if b.chance(0.3):
        return b.op("Not", value)
    return b.op(b.random.choice(["And", "Or", "Xor"]), value, partner(b, value))


def where(b: Builder) -> Value:
    """A choice between two values."""
    condition = b.pick(lambda v: v.dtype == np.bool_)
    left = b.pick(lambda v: v.dtype != np.bool_ and broadcasts(condition, v))
    right = partner(b, left)
    if not broadcasts(condition, right):
        raise Reject("shapes don't fit")
    pair = [left, right] if b.chance(0.5) else [right, left]
    return b.op("Where", condition, *pair)


def cast(b: Builder) -> Value:
    """A cast that rounding errors can't send elsewhere."""
    value = b.pick()
    target = b.random.choice([*FLOATS, np.float32, *INTEGERS, np.bool_])
    if target == value.dtype:
        raise Reject("no cast")
    if value.dtype in FLOATS and target in INTEGERS and not away_from_steps(value):
        raise Reject("near a step")
    if value.dtype in FLOATS and target == np.bool_ and not away_from_zero(value):
        raise Reject("near zero")
    if target == np.uint8 and (value.low() < 0 or value.high() > 255):
        raise Reject("out of range")
    return b.op("Cast", value, to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))


def clip(b: Builder) -> Value:
    """Clip with one or two bounds."""
    value = b.pick(lambda v: v.dtype in (np.float32, np.float16, np.float64, np.int32, np.int64))
    low = b.constant(b.random.choice([-2, -1, 0]), value.dtype) if b.chance(0.7) else None
    high = b.constant(b.random.choice([1, 3, 6]), value.dtype) if b.chance(0.7) else None
    return b.op("Clip", value, low, high) if high else b.op("Clip", value, low)


def prelu(b: Builder) -> Value:
    """PRelu with a slope for each channel, or one for all."""
    value = b.pick_float(1)
    shape = [1] * (value.rank - 1)
    if value.rank > 1 and value.fixed(1):
        shape = [value.size(1)] + [1] * (value.rank - 2)
    return b.op("PRelu", value, b.constant(b.numbers(shape, value.dtype, grid=True)))


RULES = {
    unary: 10,
    unary_of_range: 4,
    stepped: 2,
    binary: 14,
    residual: 4,
    divide: 4,
    power: 2,
    integer_divide: 2,
    variadic: 2,
    comparison: 8,
    logical: 2,
    where: 7,
    cast: 5,
    clip: 3,
    prelu: 1,
}
