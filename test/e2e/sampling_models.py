"""Models of one node each, of operators that read or write at computed places."""

from functools import partial

import numpy as np

from arrays import floats, of
from one_node import Case


node = partial(Case, domain="")

OLD_MODES = {"linear": "bilinear", "nearest": "nearest", "cubic": "bicubic"}  # of opset 16


def spread(*shape: int, seed: int = 0, kind=np.float32) -> np.ndarray:
    """Positions in and around [-1, 1], far outside included."""
    random = np.random.default_rng(seed)
    return random.uniform(-2.5, 2.5, shape).astype(kind)


def grid_cases():
    """GridSample in all its modes, of two and three dimensions."""
    flat = (floats(2, 3, 5, 7), "n c h w")
    deep = (floats(2, 2, 4, 3, 5), "n c d h w")
    grid, deep_grid = (spread(2, 4, 6, 2), "n a b 2"), (spread(2, 3, 2, 4, 3), "n a b e 3")
    for mode in ("linear", "nearest", "cubic"):
        for border in ("zeros", "border", "reflection"):
            for aligned in (0, 1):
                attributes = {"mode": mode, "padding_mode": border, "align_corners": aligned}
                label = f"grid_{mode}_{border}_{aligned}"
                yield node(label, "GridSample", [flat, grid],
                           attributes | {"mode": OLD_MODES[mode]}, opset=16)
                if mode != "cubic":  # which the peer has in two dimensions only
                    yield node(f"{label}_3d", "GridSample", [deep, deep_grid], attributes,
                               opset=20)
    one = (floats(1, 2, 1, 1), "n c h w")
    for aligned in (0, 1):
        yield node(f"grid_one_element_{aligned}", "GridSample",
                   [one, (spread(1, 3, 3, 2), "n a b 2")],
                   {"padding_mode": "reflection", "align_corners": aligned}, opset=16)
    yield node("grid_mode", "GridSample", [flat, grid], {"mode": "quintic"}, opset=20,
               words=("'mode' is 'quintic'", "'linear'"))
    yield node("grid_rank", "GridSample", [flat, deep_grid], opset=20, words=("rank",))


def deform_cases():
    """DeformConv with groups, offset groups, masks, pads, strides, dilations."""
    x, weights = (floats(2, 4, 6, 7), "n c h w"), floats(6, 2, 3, 2, seed=1)
    attributes = {"group": 2, "offset_group": 2, "pads": [1, 0, 1, 1], "strides": [1, 2],
                  "dilations": [1, 2]}
    offset = (floats(2, 2 * 6 * 2, 6, 3, seed=2), "n k p q")
    mask = (floats(2, 2 * 6, 6, 3, seed=3), "n m p q")
    bias = floats(6, seed=4)
    yield node("deform", "DeformConv", [x, weights, offset, bias, mask], attributes, opset=19)
    yield node("deform_plain", "DeformConv", [x, weights, offset], attributes, opset=19)
    yield node("deform_offsets", "DeformConv", [x, weights, (offset[0][:, :20], offset[1])],
               attributes, opset=19, words=("DeformConv",))


def column_cases():
    """Col2Im and MaxUnpool."""
    columns = (floats(2, 3 * 6, 20), "n k l")
    yield node("col2im", "Col2Im", [columns, np.array([5, 6]), np.array([2, 3])], opset=18,
               attributes={"pads": [0, 1, 0, 0]})
    line = (floats(1, 2 * 3, 4), "n k l")
    yield node("col2im_1d", "Col2Im", [line, np.array([9]), np.array([3])], opset=18,
               attributes={"strides": [2], "dilations": [1]})
    values = (floats(1, 2, 2, 3), "n c h w")
    places = np.random.default_rng(5).permutation(48)[:12].reshape(1, 2, 2, 3)
    yield node("unpool", "MaxUnpool", [values, (places, "n c h w")],
               {"kernel_shape": [2, 2], "strides": [2, 2]}, opset=11)


def cache_cases():
    """TensorScatter and BitCast, which the peer does not have."""
    cache, update = floats(2, 3, 6, 4), floats(2, 3, 2, 4, seed=1)
    starts = np.array([1, 5])
    for mode in ("linear", "circular"):
        expected, first = cache.copy(), np.minimum(starts, 4) if mode == "linear" else starts
        for batch in range(2):
            for step in range(2):
                expected[batch, :, (first[batch] + step) % 6] = update[batch, :, step]
        yield node(f"cache_{mode}", "TensorScatter",
                   [(cache, "b h m d"), (update, "b h s d"), (first, "b")],
                   {"mode": mode}, opset=24, expected={"y": expected})
    for source, target in ((np.float32, np.int32), (np.int64, np.float64),
                           (np.float16, np.uint16), (np.uint8, np.int8)):
        bits = np.random.default_rng(7).integers(0, 120, (3, 5)).astype(source)
        kind = {np.int32: 6, np.float64: 11, np.uint16: 4, np.int8: 3}[target]
        yield node(f"bits_{source.__name__}", "BitCast", [(bits, "a b")], {"to": kind},
                   types={"y": target}, opset=26, expected={"y": bits.view(target)})
    yield node("bits_width", "BitCast", [(floats(2, 3), "a b")], {"to": 11}, opset=26,
               types={"y": np.float64}, words=("one number of bits",))


def resize_cases():
    """Resize whose scales or sizes are inputs, and with antialias."""
    x = (floats(2, 3, 7, 9), "n 3 h w")
    for down in (0, 1):
        scales = np.array([1, 1, 0.6, 0.5] if down else [1, 1, 1.8, 2.2], np.float32)  # no ties
        for mode in ("nearest", "linear", "cubic"):
            for place in ("half_pixel", "asymmetric"):
                attributes = {"mode": mode, "coordinate_transformation_mode": place}
                yield node(f"resize_{mode}_{place}_{down}", "Resize",
                           [x, None, (scales, "4")], attributes, opset=19)
            if mode != "nearest":
                label = f"resize_smooth_{mode}_{down}"
                attributes = {"mode": mode, "antialias": 1}
                yield node(label, "Resize", [x, None, scales], attributes, opset=19)
                yield node(f"{label}_open", "Resize", [x, None, (scales, "4")], attributes,
                           opset=19)
    for policy in ("not_larger", "not_smaller"):
        yield node(f"resize_{policy}", "Resize", [x, None, None, (np.array([5, 12]), "2")],
                   {"mode": "linear", "keep_aspect_ratio_policy": policy, "axes": [2, 3]},
                   opset=19)
    bad = np.array([1, 1, -2, 1], np.float32)
    yield node("resize_negative", "Resize", [x, None, (bad, "4")], opset=19, run_words=("outside of 0",))


def open_axes_cases():
    """Slice, Pad and Trilu whose axes, steps and diagonals are inputs."""
    x = (floats(6, 5, 7), "a b c")
    for label, starts, ends, axes, steps in (
            ("steps", [1, 0], [6, 9], [0, 2], [2, 3]),
            ("back", [-1, 10], [-9, -20], [-1, 1], [-2, -1]),
            ("empty", [4, 0], [2, 7], [1, 0], [1, 1])):
        yield node(f"slice_{label}", "Slice",
                   [x, *((np.array(v), "2") for v in (starts, ends, axes, steps))], opset=13)
    parts = [(np.array(v), "1") for v in ([0], [3], [0], [0])]
    yield node("slice_step_0", "Slice", [x, *parts], opset=13, run_words=("outside of 0",))
    yield node("pad_axes", "Pad", [x, (np.array([1, 0, 2, 3]), "4"), of(0.5),
                                   (np.array([-1, 0]), "2")], opset=18)
    for k in (-3, -1, 0, 2, 9):
        yield node(f"trilu_{k}", "Trilu", [x, (np.array(k), "")], {"upper": k % 2}, opset=14)


FAMILIES = (grid_cases, deform_cases, column_cases, cache_cases, resize_cases, open_axes_cases)
