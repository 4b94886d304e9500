"""Cases of operators of ONNX Runtime's own domain: see one_node.py."""

import numpy as np

from arrays import floats, integers, of
from group_query_models import group_query_cases
from one_node import CONTRIB as DOMAIN
from one_node import Case


def ones(*values) -> np.ndarray:
    """int32 of these values."""
    return np.array(values, np.int32)


def norm_cases():
    """Norms and GELUs."""
    x, skip = (floats(2, 3, 8), "b s 8"), (floats(2, 3, 8, seed=1), "b s 8")
    gamma, beta, bias = floats(8, seed=2), floats(8, seed=3), floats(8, seed=4)
    half = [(floats(2, 3, 8, kind=np.float16), "b s 8"),
            (floats(2, 3, 8, seed=1, kind=np.float16), "b s 8"), gamma.astype(np.float16)]
    total = x[0] + skip[0] + bias
    mean = total.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt(((total - mean) ** 2).mean(-1, keepdims=True) + 0.01)
    for domain in ("", DOMAIN):
        label = domain or "onnx"
        yield Case(f"rms_{label}", "SimplifiedLayerNormalization", [x, gamma],
                   {"axis": -1, "epsilon": 1e-5, "stash_type": 1}, domain=domain,
                   peer={"domain": ""})
    yield Case("rms_axis_1", "SimplifiedLayerNormalization", [x, floats(3, 8)],
               {"axis": 1, "epsilon": 0.1}, "y i", domain="")
    yield Case("layer_norm", "LayerNormalization", [x, gamma, beta], {"axis": -1}, "y m i",
               domain="", opset=11)
    yield Case("skip", "SkipLayerNormalization", [x, skip, gamma])
    yield Case("skip_beta", "SkipLayerNormalization", [x, skip, gamma, beta])
    yield Case("skip_bias", "SkipLayerNormalization", [x, skip, gamma, None, bias],
               {"epsilon": 0.01}, "y - - s")
    yield Case("skip_statistics", "SkipLayerNormalization", [x, skip, gamma, beta, bias],
               {"epsilon": 0.01}, "y m i s", expected={"m": mean, "i": inverse})
    yield Case("skip_broadcast", "SkipLayerNormalization",
               [x, (floats(3, 8, seed=1), "s 8"), gamma, beta])
    yield Case("skip_half", "SkipLayerNormalization", half, {}, "y - - s", tolerance=2e-3)
    yield Case("skip_rms", "SkipSimplifiedLayerNormalization", [x, skip, gamma])
    yield Case("skip_rms_bias", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias],
               {"epsilon": 0.01}, "y - - s")
    ids, kinds = (integers(2, 5, high=20, kind=np.int32), "b s"), \
        (integers(2, 5, high=2, kind=np.int32), "b s")
    words, places, segments = floats(20, 8), floats(9, 8), floats(2, 8)
    mask = (np.array([[1, 1, 1, 0, 0], [1, 1, 0, 1, 1]], np.int32), "b s")
    position = (integers(2, 5, high=9, kind=np.int32, seed=3), "b s")
    sums = {"y": np.float32, "s": np.float32}
    yield Case("embed", "EmbedLayerNormalization",
               [ids, None, words, places, None, gamma, beta], {}, "y n", sums)
    yield Case("embed_all", "EmbedLayerNormalization",
               [ids, kinds, words, places, segments, gamma, beta, mask, position],
               {"epsilon": 0.01}, "y n s", sums)
    yield Case("bias_gelu", "BiasGelu", [x, bias])
    yield Case("gelu", "Gelu", [x])
    yield Case("fast_gelu", "FastGelu", [x], tolerance=1e-4)
    yield Case("fast_gelu_bias", "FastGelu", [x, bias], tolerance=1e-4)
    yield Case("quick_gelu", "QuickGelu", [x])
    yield Case("image_scaler", "ImageScaler", [(floats(2, 3, 4, 5), "n 3 h w")],
               {"scale": 0.5, "bias": [1.0, -2.0, 3.0]}, domain="", opset=7)
    yield Case("image_scaler_channels", "ImageScaler", [(floats(2, 4, 4, 5), "n 4 h w")],
               {"bias": [1.0, -2.0, 3.0]}, domain="", opset=7,
               words=("'bias' has 3 elements", "channel"))
    picture = [(floats(2, 3, 7, 9), "n 3 h w")]
    yield Case("affine", "Affine", picture, {"alpha": 0.5, "beta": 2.0}, domain="", opset=7)
    yield Case("crop", "Crop", picture, {"border": [1, 2, 3, 0]}, domain="", opset=7)
    yield Case("crop_size", "Crop", picture, {"border": [1, 2, 0, 0], "scale": [4, 3]},
               domain="", opset=7)
    yield Case("crop_all", "Crop", [(floats(2, 3, 7, 9), "2 3 7 9")], {"border": [1, 4, 3, 4]},
               domain="", opset=7, words=("Crop",))
    yield Case("quick_gelu_alpha", "QuickGelu", [x], {"alpha": 0.5})
    # The peer has it in its builds for training alone.
    for axis, over in ((-1, (2,)), (None, (1, 2)), (0, (0, 1, 2))):
        share = np.exp(x[0]) / np.exp(x[0]).sum(over, keepdims=True)
        dot = (skip[0] * share).sum(over, keepdims=True)
        yield Case(f"softmax_grad_{axis}", "SoftmaxGrad", [skip, (share, "b s 8")],
                   {} if axis is None else {"axis": axis},
                   expected={"y": share * (skip[0] - dot)})


def product_cases():
    """Products and convolutions with what follows them."""
    a, b = (floats(2, 3, 4), "b m 4"), (floats(2, 4, 5), "b 4 5")
    yield Case("matmul", "FusedMatMul", [a, b])
    yield Case("matmul_alpha", "FusedMatMul", [a, floats(4, 5)], {"alpha": 0.5})
    yield Case("matmul_transposed", "FusedMatMul",
               [(floats(2, 4, 3), "b 4 m"), (floats(2, 5, 4), "b 5 4")],
               {"transA": 1, "transB": 1, "alpha": 2.0})
    yield Case("matmul_batch_a", "FusedMatMul", [(floats(3, 2, 4), "m b 4"), b],
               {"transBatchA": 1})
    yield Case("matmul_batch_ab", "FusedMatMul",
               [(floats(4, 2, 3), "4 b m"), (floats(5, 2, 4), "5 b 4")],
               {"transBatchA": 1, "transA": 1, "transBatchB": 1, "transB": 1})
    x, w, c = (floats(3, 4), "m 4"), floats(4, 5), floats(5)
    yield Case("transpose_matmul", "TransposeMatMul",
               [(floats(2, 4, 3), "b 4 m"), b], {"transA": 1, "alpha": 0.25})
    yield Case("gemm", "FusedGemm", [x, w], {"activation": "Tanh"})
    yield Case("gemm_relu", "FusedGemm", [x, w, c], {"activation": "Relu"})
    yield Case("gemm_leaky", "FusedGemm", [(floats(4, 3), "4 m"), floats(5, 4), c],
               {"activation": "LeakyRelu", "activation_alpha": 0.2, "transA": 1,
                "transB": 1, "alpha": 0.5, "beta": 2.0})
    image, filters, bias = (floats(2, 4, 6, 6), "n 4 h w"), floats(6, 2, 3, 3), floats(6)
    form = {"group": 2, "pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
    yield Case("conv", "FusedConv", [image, filters], {"group": 2})
    yield Case("conv_sum", "FusedConv",
               [image, filters, bias, (floats(2, 6, 6, 6), "n 6 h w")],
               form | {"activation": "Relu"})
    for name, params in (("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.3]),
                         ("HardSigmoid", [0.1, 0.4]), ("Clip", [-0.5, 0.75])):
        yield Case(f"conv_{name}", "FusedConv", [image, filters, bias],
                   form | {"activation": name}
                   | ({"activation_params": params} if params else {}))


def quantized(*shape: int, dims: str, scale: float, zero: int, kind=np.uint8, seed=0) -> list:
    """Numbers, their scale and zero point."""
    low, high = (0, 256) if kind == np.uint8 else (-128, 128)
    return [(integers(*shape, low=low, high=high, kind=kind, seed=seed), dims),
            of(scale), of(zero, kind)]


def quant_cases():
    """Quantized operators."""
    for kind, zero in ((np.uint8, 120), (np.int8, -3)):
        label = np.dtype(kind).name
        a = quantized(2, 3, 8, dims="b s 8", scale=0.02, zero=zero, kind=kind)
        b = quantized(3, 8, dims="s 8", scale=0.03, zero=zero + 7, kind=kind, seed=1)
        to, bare, none = [of(0.05), of(zero - 5, kind)], [of(0.05)], [of(0, kind)]
        for op in ("QLinearAdd", "QLinearMul"):
            yield Case(f"{op}_{label}", op, a + b + to)
            yield Case(f"{op}_bare_{label}", op, a[:2] + [None] + b[:2] + [None] + bare,
                       peer={"inputs": a[:2] + none + b[:2] + none + bare + none})
        one = [of(1 / 256), of(0 if kind == np.uint8 else -128, kind)]
        yield Case(f"sigmoid_{label}", "QLinearSigmoid", a + one)
        # The peer does not survive a zero point that is absent at the end.
        yield Case(f"sigmoid_bare_{label}", "QLinearSigmoid", a[:2] + [None, of(1 / 256)],
                   peer={"inputs": a[:2] + none + [of(1 / 256)] + none})
        yield Case(f"leaky_{label}", "QLinearLeakyRelu", a + to, {"alpha": 0.2})
        yield Case(f"softmax_{label}", "QLinearSoftmax", a + one, {"opset": 13})
        yield Case(f"softmax_flat_{label}", "QLinearSoftmax", a + one,
                   {"opset": 12, "axis": 1})
        choice = (integers(2, 3, 8, high=2, kind=np.bool_), "b s 8")
        yield Case(f"where_{label}", "QLinearWhere", [choice] + a + b + to,
                   types={"y": kind})
        wide = {"uint8": np.uint16, "int8": np.int16}[label]
        numbers, ends = (floats(2, 8), "b 8"), [of(0.001), of(300, wide)]
        yield Case(f"quantize_{label}", "QuantizeLinear", [numbers] + ends, types={"y": wide})
        yield Case(f"dequantize_{label}", "DequantizeLinear",
                   [(integers(2, 8, high=9000, kind=wide), "b 8")] + ends,
                   types={"y": np.float32})
        yield Case(f"dequantize_axis_{label}", "DequantizeLinear",
                   [a[0], floats(8), integers(8, high=90, kind=kind)], {"axis": 2},
                   types={"y": np.float32})
        image = quantized(2, 3, 6, 7, dims="n 3 h w", scale=0.02, zero=zero, kind=kind)
        last = quantized(2, 6, 7, 3, dims="n h w 3", scale=0.02, zero=zero, kind=kind)
        small = [of(0.0173), of(zero + 2, kind)]
        yield Case(f"pool_{label}", "QLinearAveragePool", image + small,
                   {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]})
        yield Case(f"pool_last_{label}", "QLinearAveragePool", last + small,
                   {"kernel_shape": [3, 2], "channels_last": 1, "ceil_mode": 1,
                    "count_include_pad": 1, "pads": [1, 1, 1, 1], "strides": [2, 2]})
        yield Case(f"global_{label}", "QLinearGlobalAveragePool", image + small)
        yield Case(f"global_last_{label}", "QLinearGlobalAveragePool", last + small,
                   {"channels_last": 1})
        parts = quantized(2, 3, dims="b 3", scale=0.05, zero=zero, kind=kind) + \
            quantized(2, 4, dims="b 4", scale=0.02, zero=zero + 1, kind=kind)
        yield Case(f"concat_{label}", "QLinearConcat", to + parts, {"axis": -1},
                   types={"y": kind})


def integer_product_cases():
    """Products of quantized factors; sums of two products fit into 16 bits, which
    the peer's kernels for older CPUs need."""
    a, b = (integers(2, 3, 8), "b m 8"), integers(8, 5, low=-60, high=60, kind=np.int8)
    scale, columns = [of(0.02), of(0.01)], [of(0.02), floats(5, scale=0.01)]
    real = {"y": np.float32}
    zero = [of(120, np.uint8), of(4, np.int8)]
    yield Case("to_float", "MatMulIntegerToFloat", [a, b] + scale, types=real)
    yield Case("to_float_all", "MatMulIntegerToFloat",
               [a, b] + columns + [zero[0], integers(5, low=-5, high=5, kind=np.int8)]
               + [floats(5)], types=real)
    x = (floats(2, 3, 8), "b m 8")
    yield Case("dynamic", "DynamicQuantizeMatMul", [x, b, of(0.01)], tolerance=1e-4)
    yield Case("dynamic_all", "DynamicQuantizeMatMul",
               [x, b, columns[1], integers(5, low=-5, high=5, kind=np.int8), floats(5)],
               tolerance=1e-4)
    yield Case("dynamic_positive", "DynamicQuantizeMatMul",
               [(np.abs(x[0]), "b m 8"), integers(8, 5), of(0.01), of(128, np.uint8)],
               tolerance=1e-4)
    rows = [(integers(3, 8), "m 8"), scale[0], zero[0]]
    yield Case("qgemm_real", "QGemm", rows + [b, scale[1], zero[1]], types=real)
    yield Case("qgemm", "QGemm",
               [(integers(8, 3), "8 m"), scale[0], zero[0], b.T.copy(), columns[1],
                integers(5, low=-5, high=5, kind=np.int8),
                integers(5, low=-900, high=900, kind=np.int32), of(0.3), of(110, np.uint8)],
               {"transA": 1, "transB": 1, "alpha": 0.5})
    for bits in (2, 4, 8):
        rows, depth, block = 6, 40, 16
        blocks = -(-depth // block)
        packed = integers(rows, blocks, block * bits // 8)
        scales, zeros = floats(rows, blocks, scale=0.1), -(-blocks * bits // 8)
        form = {"K": depth, "N": rows, "bits": bits, "block_size": block}
        y = (floats(2, 3, depth), f"b m {depth}")
        yield Case(f"bits_{bits}", "MatMulNBits", [y, packed, scales], form, tolerance=1e-4)
        yield Case(f"bits_{bits}_all", "MatMulNBits",
                   [y, packed, scales, integers(rows, zeros), None, floats(rows)], form,
                   tolerance=1e-4)
    yield Case("bits_float_zeros", "MatMulNBits",
               [y, integers(6, 3, 8), floats(6, 3), floats(6, 3, seed=5)],
               form | {"bits": 4}, tolerance=1e-4)


def attention_cases():
    """Attention, with each kind of mask, and what stands before it."""
    x, w, b = (floats(2, 4, 6), "b s 6"), floats(6, 24, scale=0.4), floats(24, seed=1)
    heads = {"num_heads": 2}
    yield Case("attention_plain", "Attention", [x, w], heads)
    yield Case("attention_causal", "Attention", [x, w, b], heads | {"unidirectional": 1})
    yield Case("attention_scale", "Attention", [x, w, b], heads | {"scale": 0.3})
    yield Case("attention_sizes", "Attention", [x, floats(6, 20), floats(20)],
               heads | {"qkv_hidden_sizes": [8, 8, 4]})
    masks = {
        "ends": (ones(3, 4), "b"),
        "starts": (ones(4, 3, 1, 0), "4"),
        "rows": (np.array([[1, 1, 1, 0], [0, 1, 1, 1]], np.int32), "b s"),
        "whole": (integers(2, 4, 4, high=2, kind=np.int32) | np.eye(4, dtype=np.int32),
                  "b s s"),
    }
    for name, mask in masks.items():
        data = (x[0], "2 s 6") if name == "starts" else x
        yield Case(f"attention_{name}", "Attention", [data, w, b, mask],
                   heads | {"mask_filter_value": -5000.0})
    past = (floats(2, 2, 2, 3, 4), "2 b 2 p 4")
    yield Case("attention_bias", "Attention",
               [x, w, b, None, None, (floats(1, 2, 4, 4), "1 2 s s")], heads)
    yield Case("attention_past", "Attention", [x, w, b, None, past],
               heads | {"unidirectional": 1}, "y p")
    yield Case("attention_past_all", "Attention",
               [x, w, b, (np.array([[1, 0, 1, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1, 1]], np.int32),
                          "b t"), past],
               heads | {"unidirectional": 1}, "y p")
    yield Case("attention_present", "Attention", [x, w, b], heads, "y p")
    q = (integers(2, 4, 6), "b s 6")
    weight = integers(6, 24, low=-60, high=60, kind=np.int8)
    scales, real = [b, of(0.02), of(0.01)], {"y": np.float32, "p": np.float32}
    yield Case("quantized", "QAttention", [q, weight] + scales, heads, types=real,
               tolerance=1e-4)
    yield Case("quantized_all", "QAttention",
               [q, weight] + scales + [masks["ends"], of(120, np.uint8), of(3, np.int8), past],
               heads | {"unidirectional": 1}, "y p", real, tolerance=1e-4)


def multi_head_cases():
    """MultiHeadAttention in each layout of its sources."""
    heads = {"num_heads": 2}
    q, k = (floats(2, 4, 8), "b s 8"), (floats(2, 5, 8, seed=1), "b l 8")
    v, bias = (floats(2, 5, 6, seed=2), "b l 6"), floats(22)
    op = "MultiHeadAttention"
    yield Case("heads", op, [q, k, v], heads)
    yield Case("heads_bias", op, [q, k, v, bias], heads | {"scale": 0.5})
    yield Case("heads_ends", op, [q, k, v, None, (ones(3, 5), "b")], heads)
    yield Case("heads_rows", op,
               [q, k, v, bias, (integers(2, 5, high=2, kind=np.int32) | ones(1, 0, 0, 0, 0),
                                "b l")], heads | {"mask_filter_value": -3000.0})
    yield Case("heads_added", op, [q, k, v, None, None, (floats(1, 2, 4, 5), "1 2 s l")], heads)
    yield Case("heads_causal", op, [q, (floats(2, 4, 8), "b s 8"), (floats(2, 4, 8), "b s 8")],
               heads | {"unidirectional": 1})
    # The peer's CPU takes nothing packed, so it gets the parts.
    packed, pair = floats(2, 4, 2, 3, 4), floats(2, 5, 2, 2, 4)
    yield Case("heads_packed", op, [(packed, "b s 2 3 4")], heads,
               peer={"inputs": [(packed[:, :, :, i].reshape(2, 4, 8), "b s 8")
                                for i in range(3)]})
    yield Case("heads_packed_keys", op, [q, (pair, "b l 2 2 4")], heads,
               peer={"inputs": [q] + [(pair[:, :, :, i].reshape(2, 5, 8), "b l 8")
                                      for i in range(2)]})
    yield Case("heads_split", op, [q, (floats(2, 2, 5, 4), "b 2 l 4"),
                                   (floats(2, 2, 5, 4, seed=1), "b 2 l 4")], heads)
    past = [(floats(2, 2, 3, 4, seed=i), "b 2 p 4") for i in (1, 2)]
    same = [q, (floats(2, 4, 8, seed=1), "b s 8"), (floats(2, 4, 8, seed=2), "b s 8")]
    yield Case("heads_past", op, same + [None, None, None] + past, heads, "y k v")


def rotary_cases():
    """RotaryEmbedding by halves and by neighbours, of all and of some of a head."""
    angles = np.outer(np.arange(16), 0.5 ** np.arange(4))
    caches = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
    joined, split = (floats(2, 3, 16), "b s 16"), (floats(2, 2, 3, 8), "b 2 s 8")
    places = (integers(2, 3, high=16, kind=np.int64), "b s")
    part = {"num_heads": 2, "rotary_embedding_dim": 8}
    for name, near in (("halves", {}), ("near", {"interleaved": 1})):
        yield Case(f"rotary_{name}", "RotaryEmbedding", [joined, places] + caches, near)
        yield Case(f"rotary_{name}_split", "RotaryEmbedding", [split, places] + caches, near)
        yield Case(f"rotary_{name}_from", "RotaryEmbedding",
                   [joined, (np.array([5], np.int64), "1")] + caches, near | {"num_heads": 2})
        yield Case(f"rotary_{name}_part", "RotaryEmbedding",
                   [(floats(2, 3, 24), "b s 24"), places] + caches, near | part)


def failing_cases():
    """What is not supported or wrong: the error names node, operator and more."""
    x, gamma = (floats(2, 3, 8), "b s 8"), floats(8)
    w, heads = floats(8, 24), {"num_heads": 2}
    image = quantized(2, 3, 6, 7, dims="n 3 h w", scale=0.02, zero=3)
    yield Case("missing", "SkipLayerNormalization", [x, x],
               words=("SkipLayerNormalization", "input 2 (gamma) is missing"))
    yield Case("too_many", "Gelu", [x, x], words=("Gelu", "at most 1 inputs, not 2"))
    yield Case("unknown_attribute", "BiasGelu", [x, gamma], {"alpha": 1.0},
               words=("BiasGelu", "attribute 'alpha'"))
    yield Case("attribute_type", "QuickGelu", [x], {"alpha": 1},
               words=("QuickGelu", "attribute 'alpha' has type INT"))
    yield Case("no_heads", "Attention", [x, w], words=("Attention", "'num_heads'"))
    yield Case("zero_heads", "Attention", [x, w], {"num_heads": 0},
               words=("Attention", "'num_heads' is 0"))
    yield Case("input_type", "BiasGelu", [x, gamma.astype(np.float64)],
               words=("BiasGelu", "input 1 (B)", "tensor(double)"))
    yield Case("integer_input", "Gelu", [(integers(4), "n")],
               words=("Gelu", "input 0 (X)", "tensor(uint8)"))
    yield Case("rotary_attention", "Attention", [x, w], heads | {"do_rotary": 1},
               words=("Attention", "'do_rotary' is not supported"))
    yield Case("shared_buffer", "Attention", [x, w], heads | {"past_present_share_buffer": 1},
               words=("Attention", "'past_present_share_buffer'"))
    yield Case("rotary_scale", "RotaryEmbedding",
               [x, (integers(2, 3, kind=np.int64), "b s"), floats(9, 4), floats(9, 4)],
               {"scale": 0.5}, words=("RotaryEmbedding", "'scale' is 5.0"))
    yield Case("lone_past", "MultiHeadAttention",
               [x, x, x, None, None, None, (floats(2, 2, 3, 4), "b 2 p 4")], heads,
               words=("MultiHeadAttention", "past_key", "past_value"))
    yield Case("prepacked", "MatMulNBits", [(floats(2, 16), "m 16"), integers(4, 1, 8),
                                            floats(4, 1)],
               {"K": 16, "N": 4, "block_size": 16, "weight_prepacked": 1},
               words=("MatMulNBits", "'weight_prepacked'"))
    yield Case("odd_bits", "MatMulNBits", [(floats(2, 16), "m 16"), integers(4, 1, 8),
                                           floats(4, 1)],
               {"K": 16, "N": 4, "block_size": 16, "bits": 3},
               words=("MatMulNBits", "'bits' is 3"))
    yield Case("activation", "FusedGemm", [(floats(2, 4), "m 4"), floats(4, 5)],
               {"activation": "Swish"}, words=("FusedGemm", "'activation' is 'Swish'"))
    yield Case("pool_dilations", "QLinearAveragePool", image + [of(0.1)],
               {"kernel_shape": [2, 2], "dilations": [2, 2]},
               words=("QLinearAveragePool", "'dilations'"))
    yield Case("concat_count", "QLinearConcat", [of(0.1), of(3, np.uint8)] + image[:2],
               {"axis": 0}, words=("QLinearConcat", "three inputs"))
    yield Case("concat_zero", "QLinearConcat",
               [of(0.1), of(3, np.uint8)] + image[:2] + [of(3, np.int8)], {"axis": 0},
               words=("QLinearConcat", "inputs 2 to 4"))
    yield Case("many_scales", "QLinearSigmoid", [image[0], floats(2), None, of(0.1)],
               words=("QLinearSigmoid", "input 1 (a scale)", "tensor<2xf32>"))
    yield Case("zero_type", "MatMulNBits",
               [(floats(2, 16), "m 16"), integers(4, 1, 8), floats(4, 1), ones(0, 0, 0, 0)],
               {"K": 16, "N": 4, "block_size": 16},
               words=("MatMulNBits", "input 3 (zero_points)"))
    yield Case("flat_ids", "EmbedLayerNormalization",
               [(ones(1, 2, 3), "s"), None, floats(9, 8), floats(9, 8), None, gamma, gamma],
               words=("EmbedLayerNormalization", "input 0 must have rank 2, not 1"))
    yield Case("flat_cache", "RotaryEmbedding",
               [x, (integers(2, 3, kind=np.int64), "b s"), floats(9, 4), floats(9)],
               words=("RotaryEmbedding", "caches must have rank 2"))
    yield Case("unsupported", "BeamSearch", [x], words=("BeamSearch", "not supported"))


FAMILIES = (norm_cases, product_cases, quant_cases, integer_product_cases,
            attention_cases, multi_head_cases, group_query_cases, rotary_cases, failing_cases)
