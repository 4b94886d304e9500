"""Rules for nodes that move elements and change shapes."""

import numpy as np
from builder import FLOATS, Builder, Reject, Value


def transpose(b: Builder) -> Value:
    """Any order of the axes."""
    value = b.pick(lambda v: v.rank >= 2)
    return b.op("Transpose", value, perm=b.random.sample(range(value.rank), value.rank))


def factors(b: Builder, size: int) -> list:
    """Returns two factors of a size."""
    fitting = [n for n in range(1, size + 1) if size % n == 0]
    first = b.random.choice(fitting)
    return [first, size // first]


def split_axis(b: Builder) -> Value:
    """Reshape that makes two axes of one."""
    value = b.pick(lambda v: 1 <= v.rank <= 4 and not v.empty())
    axis = b.random.choice([a for a in range(value.rank) if value.fixed(a)] or [-1])
    if axis < 0:
        raise Reject("no known size")
    shape = [0] * axis + factors(b, value.size(axis))
    for later in range(axis + 1, value.rank):
        shape.append(value.size(later) if value.fixed(later) else -1)
    if shape.count(-1) > 1:
        raise Reject("two unknown sizes")
    return b.op("Reshape", value, b.sizes(shape))


def merge_axes(b: Builder) -> Value:
    """Reshape that makes one axis of two or more."""
    value = b.pick(lambda v: v.rank >= 2 and not v.empty())
    first = b.random.randrange(value.rank - 1)
    count = b.random.randint(2, value.rank - first)
    shape = [0] * first + [-1]
    for later in range(first + count, value.rank):
        shape.append(last_known_size(value, later))
    return b.op("Reshape", value, b.sizes(shape))


def last_known_size(value: Value, axis: int) -> int:
    """Returns a size that is the same in all runs."""
    if not value.fixed(axis):
        raise Reject("not a known size")
    return value.size(axis)


def flatten(b: Builder) -> Value:
    """Flatten at any axis."""
    value = b.pick(lambda v: not v.empty())
    return b.op("Flatten", value, axis=b.random.randint(0, value.rank))


def reshape_as(b: Builder) -> Value:
    """Reshape to sizes that the graph takes from another shape, as exporters do."""
    value = b.pick(lambda v: v.rank >= 2 and not v.empty())
    shape = b.op("Shape", value)
    keep = b.random.randint(1, value.rank - 1)
    first = b.op("Slice", shape, b.sizes([0]), b.sizes([keep]))
    target = b.op("Concat", first, b.sizes([-1]), axis=0)
    return b.op("Reshape", value, target)


def squeeze(b: Builder) -> Value:
    """Drops an axis of size 1, or all of them."""
    value = b.pick(lambda v: any(set(sizes) == {1} for sizes in v.dims))
    ones = [axis for axis, sizes in enumerate(value.dims) if set(sizes) == {1}]
    if b.chance(0.3) and not any(1 in sizes and set(sizes) != {1} for sizes in value.dims):
        return b.op("Squeeze", value, b.sizes(ones))
    return b.op("Squeeze", value, b.sizes([b.spelled(b.random.choice(ones), value.rank)]))


def unsqueeze(b: Builder) -> Value:
    """Adds one axis or two."""
    value = b.pick(lambda v: v.rank <= 4)
    count = b.random.randint(1, min(2, 5 - value.rank))
    axes = b.random.sample(range(value.rank + count), count)
    return b.op("Unsqueeze", value, b.sizes([b.spelled(a, value.rank + count) for a in axes]))


def slice_range(b: Builder, size: int, fixed: bool) -> tuple:
    """Returns start, end and step that leave something of a size."""
    step = b.random.choice([1, 1, 1, 2, 3])
    if b.chance(0.3):
        first = b.random.choice([-1, size - 1]) if fixed else -1
        return first, b.random.choice([-(2**31), -size - 1]), -step
    first = b.random.randint(0, size - 1)
    if b.chance(0.4):
        return first, 2**31 - 1, step
    if fixed and b.chance(0.3):
        return first - size, b.random.randint(first + 1, size), step
    return first, b.random.randint(first + 1, size), step


def slice_(b: Builder) -> Value:
    """Slice along one axis or two, in either direction."""
    value = b.pick(lambda v: v.rank and not v.empty())
    count = b.random.randint(1, min(2, value.rank))
    axes = b.random.sample(range(value.rank), count)
    ranges = [slice_range(b, value.size(axis), value.fixed(axis)) for axis in axes]
    starts, ends, steps = zip(*ranges, strict=True)
    spelled = [b.spelled(axis, value.rank) for axis in axes]
    return b.op("Slice", value, *map(b.sizes, (starts, ends, spelled, steps)))


def concat(b: Builder) -> Value:
    """Joins values along an axis, the same one twice included."""
    value = b.pick(lambda v: v.rank)
    axis = b.axis(value)

    def fits(other: Value) -> bool:
        if other.rank != value.rank or other.dtype != value.dtype:
            return False
        return all(i == axis or other.dims[i] == value.dims[i] for i in range(value.rank))

    operands = [value] + [b.pick(fits) for _ in range(b.random.choice([1, 1, 2]))]
    if all(value.fixed(i) for i in range(value.rank)) and b.chance(0.2):
        operands.append(b.constant(b.numbers(value.arrays[0].shape, value.dtype, value.exact)))
    b.random.shuffle(operands)
    return b.op("Concat", *operands, axis=b.spelled(axis, value.rank))


def split(b: Builder) -> Value:
    """Cuts an axis into two or three parts; all of them may be used."""
    value = b.pick(lambda v: any(v.fixed(a) and v.size(a) >= 2 for a in range(v.rank)))
    fitting = [a for a in range(value.rank) if value.fixed(a) and value.size(a) >= 2]
    axis = b.random.choice(fitting)
    size = value.size(axis)
    cuts = sorted(b.random.sample(range(1, size), b.random.randint(1, min(2, size - 1))))
    lengths = [end - start for start, end in zip([0, *cuts], [*cuts, size], strict=True)]
    parts = b.node("Split", [value, b.sizes(lengths)], len(lengths), axis=axis)
    b.values.extend(parts[1:])
    return parts[0]


def pad(b: Builder) -> Value:
    """Pads with a constant, the edge or the reflection."""
    value = b.pick_float(1, accept=lambda v: not v.empty())
    mode = b.random.choice(["constant", "constant", "constant", "edge", "reflect"])
    axis = b.axis(value)
    room = 3 if mode != "reflect" else min(3, value.size(axis) - 1)
    pads = [0] * (2 * value.rank)
    pads[axis], pads[axis + value.rank] = b.random.randint(0, room), b.random.randint(0, room)
    operands = [value, b.sizes(pads)]
    if mode == "constant":
        if b.chance(0.2) and value.size(axis) > 2:
            pads[axis] = -1
            operands[1] = b.sizes(pads)
        operands.append(b.constant(b.random.choice([0.0, 0.5, -1.0]), value.dtype))
    return b.op("Pad", *operands, mode=mode)


def gather(b: Builder) -> Value:
    """Gather by constant indices of rank 0, 1 or 2."""
    value = b.pick(lambda v: v.rank and not v.empty())
    axis = b.axis(value)
    size = value.size(axis)
    shape = b.random.choice([[], [1], [3], [5], [2, 3]])
    indices = b.data.integers(-size if value.fixed(axis) else 0, size, shape)
    return b.op("Gather", value, b.constant(indices, np.int64), axis=b.spelled(axis, value.rank))


def gather_computed(b: Builder) -> Value:
    """Gather by indices that the graph computes."""
    value = b.pick(lambda v: v.rank and not v.empty())
    axis = b.axis(value)
    limit = value.size(axis)
    indices = b.pick(
        lambda v: v.dtype in (np.int64, np.int32) and v.low() >= 0 and v.high() < limit
    )
    return b.op("Gather", value, indices, axis=axis)


def gather_elements(b: Builder) -> Value:
    """GatherElements by constant indices."""
    value = b.pick(lambda v: v.rank and not v.empty() and all(map(v.fixed, range(v.rank))))
    axis = b.axis(value)
    shape = list(value.arrays[0].shape)
    shape[axis] = b.random.randint(1, shape[axis] + 1)
    indices = b.data.integers(-value.size(axis), value.size(axis), shape)
    return b.op("GatherElements", value, b.sizes(indices), axis=axis)


def tile(b: Builder) -> Value:
    """Repeats along axes."""
    value = b.pick(lambda v: v.rank)
    return b.op("Tile", value, b.sizes([b.random.choice([1, 1, 2, 3]) for _ in range(value.rank)]))


def expand(b: Builder) -> Value:
    """Broadcasts to a constant shape, or to the shape of another value."""
    if b.chance(0.4):
        target = b.pick()
        value = b.pick(
            lambda v: v.rank <= target.rank
            and all(
                a == c or set(a) == {1}
                for a, c in zip(reversed(v.dims), reversed(target.dims), strict=False)
            )
        )
        return b.op("Expand", value, b.op("Shape", target))
    value = b.pick()
    shape = [b.random.choice([1, 2, 3, 7]) if set(d) == {1} else 1 for d in value.dims]
    if value.rank < 5 and b.chance(0.4):
        shape = [b.random.choice([1, 2, 3]), *shape]
    return b.op("Expand", value, b.sizes(shape))


def resize(b: Builder) -> Value:
    """Enlarges or shrinks an image."""
    value = b.pick(lambda v: v.dtype in FLOATS and v.rank in (3, 4) and not v.empty())
    mode = b.random.choice(["nearest", "linear"])
    scales = [1.0, 1.0]
    scales += [b.random.choice([1.0, 2.0, 2.0, 3.0, 0.5]) for _ in range(value.rank - 2)]
    if any(value.size(axis) * scales[axis] < 1 for axis in range(value.rank)):
        raise Reject("nothing is left")
    way = b.random.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    attributes = {"coordinate_transformation_mode": way, "mode": mode}
    if mode == "nearest":
        # Halves of whole factors are exact; the corners' quotients are not.
        attributes["coordinate_transformation_mode"] = b.random.choice(["half_pixel", "asymmetric"])
        attributes["nearest_mode"] = b.random.choice(["floor", "round_prefer_floor"])
        if 3.0 in scales:
            raise Reject("thirds are not exact")
    return b.op("Resize", value, None, b.constant(scales, np.float32), **attributes)


def depth_to_space(b: Builder) -> Value:
    """DepthToSpace or SpaceToDepth."""
    value = b.pick_float(4, 4, accept=lambda v: not v.empty() and v.fixed(1))
    if value.size(1) % 4 == 0 and b.chance(0.6):
        return b.op("DepthToSpace", value, blocksize=2, mode=b.random.choice(["DCR", "CRD"]))
    if any(size % 2 for axis in (2, 3) for size in value.dims[axis]):
        raise Reject("odd sizes")
    return b.op("SpaceToDepth", value, blocksize=2)


def triangle(b: Builder) -> Value:
    """Trilu with a constant diagonal."""
    value = b.pick(lambda v: v.rank >= 2 and v.dtype in (np.float32, np.float64, np.int64))
    diagonal = b.constant(b.random.randint(-2, 2), np.int64)
    return b.op("Trilu", value, diagonal, upper=int(b.chance(0.5)))


RULES = {
    transpose: 7,
    split_axis: 3,
    merge_axes: 3,
    flatten: 1,
    reshape_as: 2,
    squeeze: 3,
    unsqueeze: 3,
    slice_: 6,
    concat: 5,
    split: 3,
    pad: 4,
    gather: 3,
    gather_computed: 2,
    gather_elements: 1,
    tile: 2,
    expand: 3,
    resize: 3,
    depth_to_space: 1,
    triangle: 1,
}
