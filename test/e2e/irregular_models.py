"""Models of one node each, of operators on boxes, regions and signals, and of
those that select."""

from functools import partial

import numpy as np

from arrays import floats, integers, of
from one_node import Case

node = partial(Case, domain="", off_by_one=0.0)

INDICES = {"y": np.int64}


def boxes(batch: int, count: int, center: bool) -> np.ndarray:
    """Boxes of which many overlap."""
    random = np.random.default_rng(batch + count)
    low, size = random.uniform(0, 3, (batch, count, 2)), random.uniform(0.5, 2, (batch, count, 2))
    corners = np.concatenate([low, low + size], -1)
    corners[:, ::3] = corners[:, ::3, [2, 1, 0, 3]]  # any two opposite corners
    chosen = np.concatenate([low + size / 2, size], -1) if center else corners
    return chosen.astype(np.float32)


def suppression_cases():
    """NonMaxSuppression with and without its numbers, with equal scores."""
    scores = np.random.default_rng(3).uniform(0, 1, (2, 3, 40)).astype(np.float32)
    equal = np.round(scores * 4) / 4
    for center in (0, 1):
        operands = [(boxes(2, 40, bool(center)), "b n 4"), (scores, "b c n")]
        attributes = {"center_point_box": center}
        make = partial(node, op="NonMaxSuppression", attributes=attributes, types=INDICES)
        yield make(f"suppress_{center}", inputs=[*operands, of(5, np.int64), of(0.4), of(0.3)])
        yield make(f"suppress_most_{center}", opset=10,
                   inputs=[*operands, (np.array([7]), "1"), (of(0.1), "")])
        yield make(f"suppress_no_threshold_{center}", inputs=[*operands, of(1000, np.int64)])
        yield make(f"suppress_equal_{center}",
                   inputs=[operands[0], (equal, "b c n"), of(9, np.int64), of(0.5), of(0.25)])
        yield make(f"suppress_no_number_{center}", inputs=operands)
        yield make(f"suppress_none_{center}",
                   inputs=[*operands, (of(0, np.int64), ""), of(0.4), of(0.3)])
    yield node("suppress_rank", "NonMaxSuppression",
               [(floats(5, 4), "n 4"), (floats(1, 1, 5), "1 1 n")], types=INDICES,
               words=("boxes of rank 3",))


def unique_cases():
    """Unique of numbers and of slices."""
    types = {"y": None, "i": np.int64, "j": np.int64, "c": np.int64}
    for kind in (np.float32, np.float64, np.int64, np.int8):
        x = integers(6, 5, high=4, kind=np.int64).astype(kind)
        rows = np.concatenate([x, x[1:4], x[:1]])
        make = partial(node, op="Unique", types=types | {"y": kind}, outputs="y i j c")
        for ordered in (0, 1):
            label = f"unique_{kind.__name__}_{ordered}"
            yield make(label, inputs=[(x, "a b")], attributes={"sorted": ordered})
            yield make(f"{label}_rows", inputs=[(rows, "a b")],
                       attributes={"sorted": ordered, "axis": 0})
            yield make(f"{label}_columns", inputs=[(rows.T.reshape(5, 2, 5), "a b c")],
                       attributes={"sorted": ordered, "axis": -1})
    half = integers(9, high=3).astype(np.float16)
    yield node("unique_half", "Unique", [(half, "a")], outputs="y i j c",
               types=types | {"y": np.float16},
               expected=dict(zip("yijc", np.unique(half, True, True, True), strict=True)))


def region_cases():
    """RoiAlign, with regions that reach outside."""
    random = np.random.default_rng(5)
    for kind in (np.float32, np.float64):
        x = (floats(2, 3, 11, 9, kind=kind), "n c h w")
        low = random.uniform(-4, 12, (17, 2))
        regions = np.concatenate([low, low + random.uniform(-1, 14, (17, 2))], -1).astype(kind)
        pictures = (integers(17, high=2, kind=np.int64), "r")
        operands = [x, (regions, "r 4"), pictures]
        for mode in ("avg", "max"):
            for samples in (0, 2):
                attributes = {"mode": mode, "sampling_ratio": samples, "output_height": 3,
                              "output_width": 4, "spatial_scale": 0.5}
                label = f"regions_{kind.__name__}_{mode}_{samples}"
                yield node(f"{label}_10", "RoiAlign", operands, attributes, opset=10)
                yield node(f"{label}_16", "RoiAlign", operands, attributes, opset=16)
    yield node("regions_mode", "RoiAlign", operands, {"mode": "sum"}, opset=16,
               words=("'mode' is 'sum'", "'avg' or 'max'"))


def dft(x: np.ndarray, length: int, axis: int, inverse: int, onesided: int) -> np.ndarray:
    """What numpy says."""
    signal = x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x[..., 0]
    if inverse and onesided:
        return np.fft.irfft(signal, length, axis)[..., None].astype(x.dtype)
    function = np.fft.ifft if inverse else np.fft.rfft if onesided else np.fft.fft
    found = function(signal, length, axis)
    return np.stack([found.real, found.imag], -1).astype(x.dtype)


def transform_cases():
    """DFT in its directions, of lengths with large and small factors."""
    for inverse, onesided, parts in ((0, 0, 1), (0, 0, 2), (0, 1, 1), (1, 0, 2), (1, 1, 2)):
        for size, length in ((16, None), (15, None), (9, 32), (40, 31)):
            x = floats(2, size, 3, parts).astype(np.float64)
            # The default inverts what as many numbers transform to.
            full = length or (2 * (size - 1) if inverse and onesided else size)
            expected = {"y": dft(x, full, 1, inverse, onesided)}
            attributes = {"inverse": inverse, "onesided": onesided}
            operands = [(x, f"b n c {parts}"), None if length is None else of(length, np.int64)]
            label = f"dft_{inverse}{onesided}{parts}_{size}_{length}"
            yield node(f"{label}_17", "DFT", operands, attributes, expected=expected)
            yield node(f"{label}_20", "DFT", [*operands, of(-3, np.int64)], attributes, opset=20,
                       expected=expected)
    single = floats(5, 400, 1)
    yield node("dft_single", "DFT", [(single, "b n 1")], expected={"y": dft(single, 400, 1, 0, 0)})
    yield node("dft_axis", "DFT", [(single, "b n 1")], {"axis": -1}, words=("axis 2",))


def signal_cases():
    """STFT, MelWeightMatrix and Det."""
    signal, window = (floats(2, 200, 1), "b n 1"), floats(16, seed=1)
    step, length = of(7, np.int64), of(16, np.int64)
    for onesided in (0, 1):
        attributes = {"onesided": onesided}
        yield node(f"stft_{onesided}", "STFT", [signal, step, None, length], attributes)
        yield node(f"stft_window_{onesided}", "STFT", [signal, step, window, length], attributes)
    yield node("stft_step", "STFT", [signal, of(0, np.int64), window], words=("step",))
    for bands, size in ((8, 64), (20, 400)):
        yield node(f"mel_{bands}", "MelWeightMatrix",
                   [of(bands, np.int64), of(size, np.int64), of(16000, np.int64), (of(20.0), ""),
                    (of(7600.0), "")], types={"y": np.float32})
    for kind in (np.float32, np.float64):
        for shape, dims in (((3, 4, 5, 5), "a b n n"), ((7, 7), "n n")):
            x = floats(*shape, kind=kind)
            yield node(f"det_{kind.__name__}_{len(shape)}", "Det", [(x, dims)], opset=11,
                       expected={"y": np.linalg.det(x)[...].astype(kind)})
    yield node("det_shape", "Det", [(floats(4, 5), "4 5")], opset=11, words=("square",))


def product_cases():
    """CumProd, which the peer does not have."""
    for kind in (np.float32, np.float64, np.int32, np.int64):
        x = integers(4, 20, low=1, high=4, kind=np.int64).astype(kind)
        yield node(f"cumprod_{kind.__name__}", "CumProd", [(x, "a b"), of(1, np.int64)], opset=26,
                   expected={"y": np.cumprod(x, 1, dtype=kind)})
        shifted = np.concatenate([np.cumprod(x[::-1], 0, dtype=kind)[-2::-1], np.ones_like(x[:1])])
        yield node(f"cumprod_back_{kind.__name__}", "CumProd", [(x, "a b"), of(0, np.int64)],
                   {"exclusive": 1, "reverse": 1}, opset=26, expected={"y": shifted})


FAMILIES = (suppression_cases, unique_cases, region_cases, transform_cases, signal_cases,
            product_cases)
