"""Cases of classical models, domain ai.onnx.ml: see one_node.py."""

import numpy as np
from onnx import numpy_helper

from arrays import floats, integers
from ml_failures import failing_cases
from ml_trees import branches, forest, leaf_weights
from one_node import Case, run_peer

LABEL = {"y": np.int64, "z": np.float32}
REAL = {"y": np.float32}
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def case(name: str, op: str, inputs: list, attributes: dict, **fields) -> Case:
    """A case of this domain, whose integers must be exact."""
    defaults = {"domain": "ai.onnx.ml", "off_by_one": 0.0}
    return Case(name, op, inputs, attributes, **(defaults | fields))


def halves(*shape: int, seed: int = 0, kind=np.float32) -> np.ndarray:
    """Multiples of a half, so that some meet the thresholds of trees."""
    generator = np.random.default_rng(seed + sum(shape))
    return (generator.integers(-6, 7, shape) / 2).astype(kind)


def whole(*shape: int, low: int = -4, high: int = 5, kind=np.int64, seed: int = 0):
    """Small whole numbers of both signs."""
    return integers(*shape, low=low, high=high, kind=kind, seed=seed)


def tensor(values, kind) -> object:
    """An attribute that is a tensor of rank 1."""
    return numpy_helper.from_array(np.atleast_1d(np.array(values, kind)), "t")


def with_nan(array: np.ndarray) -> np.ndarray:
    """The same with NaN in every third place."""
    array = array.copy()
    array.ravel()[::3] = np.nan
    return array


def preprocess_cases():
    """What stands before a model."""
    for kind in (np.float32, np.float64, np.int32, np.int64):
        label = np.dtype(kind).name
        x = whole(3, 5, kind=kind) if label[0] == "i" else floats(3, 5, kind=kind)
        rows, row = (x, "b f"), (x[0], "f")
        picked = np.array([4, 0, 0, 2])
        yield case(f"extract_{label}", "ArrayFeatureExtractor", [rows, picked], {})
        yield case(f"extract_row_{label}", "ArrayFeatureExtractor",
                   [row, (picked[:2], "n")], {})
        yield case(f"binarizer_{label}", "Binarizer", [rows], {"threshold": 0.5},
                   expected={"y": (x > 0.5).astype(kind)})
        yield case(f"scaler_{label}", "Scaler", [rows],
                   {"scale": [2.0, 0.5, -1.0, 3.0, 0.1], "offset": [1.0, 0.0, 2.5, -1.0, 7.0]},
                   types=REAL)
        yield case(f"scaler_one_{label}", "Scaler", [row], {"scale": [0.3], "offset": [1.5]},
                   types=REAL)
        x = x.copy()
        x[1] = 0
        for norm in ("MAX", "L1", "L2"):
            yield case(f"normalizer_{norm}_{label}", "Normalizer", [(x, "b f")],
                       {"norm": norm}, types=REAL)
        yield case(f"normalizer_row_{label}", "Normalizer", [row], {"norm": "L2"}, types=REAL)
        categories = {"cats_int64s": [3, -1, 0, 2, -1, 9]}
        hot = np.stack([x.astype(np.int64) == k for k in (3, 10**9, 0, 2, -1, 9)], -1)
        yield case(f"one_hot_{label}", "OneHotEncoder", [(x, "b f")], categories, types=REAL,
                   expected={"y": hot.astype(np.float32)} if label == "int32" else {})
        yield case(f"vectorizer_{label}", "FeatureVectorizer", [rows, rows, rows],
                   {"inputdimensions": [5, 5, 5]}, types=REAL)
    x = (floats(2, 3, 4), "b 3 4")
    yield case("extract_3d", "ArrayFeatureExtractor", [x, np.array([[1], [3]])], {})
    yield case("binarizer_default", "Binarizer", [x], {})
    yield case("vectorizer_cut", "FeatureVectorizer",
               [(floats(2, 3), "b 3"), (floats(2, 5), "b 5"), x], {"inputdimensions": [2, 7, 12]})
    yield case("vectorizer_row", "FeatureVectorizer", [(floats(3), "3"), (floats(5), "5")],
               {"inputdimensions": [3, 6]})
    yield case("one_hot_row", "OneHotEncoder", [(whole(6), "f")],
               {"cats_int64s": list(range(-4, 5)), "zeros": 0}, types=REAL)
    yield case("one_hot_all", "OneHotEncoder", [(whole(3, 4), "b f")],
               {"cats_int64s": list(range(-4, 5)), "zeros": 0}, types=REAL)
    yield case("one_hot_unknown", "OneHotEncoder", [(whole(3, 4), "b f")],
               {"cats_int64s": [0, 1], "zeros": 0}, types=REAL, run_words=("culprit",))


def imputer_cases():
    """Imputer: which kind of number is missing, and how many replace it."""
    x = with_nan(floats(3, 5))
    per_feature = [0.5, -1.0, 2.0, 3.25, 9.0]
    for name, array, dims in (("rows", x, "b f"), ("row", x[0], "f")):
        for count, values in (("one", [7.5]), ("all", per_feature)):
            yield case(f"imputer_nan_{name}_{count}", "Imputer", [(array, dims)],
                       {"imputed_value_floats": values, "replaced_value_float": np.nan})
    yield case("imputer_number", "Imputer", [(halves(3, 5), "b f")],
               {"imputed_value_floats": per_feature, "replaced_value_float": 0.5})
    yield case("imputer_default", "Imputer", [(halves(3, 5), "b f")],
               {"imputed_value_floats": [4.0]})
    numbers = whole(3, 5)
    fill = {"imputed_value_int64s": [10, 11, 12, 13, 2**40], "replaced_value_int64": -1}
    yield case("imputer_int64", "Imputer", [(numbers, "b f")], fill)
    wide, narrow = x.astype(np.float64), numbers.astype(np.int32)
    yield case("imputer_double", "Imputer", [(wide, "b f")],
               {"imputed_value_floats": [7.5], "replaced_value_float": np.nan},
               expected={"y": np.where(np.isnan(wide), 7.5, wide)})
    fill = {"imputed_value_int64s": [99], "replaced_value_int64": 2}
    yield case("imputer_int32", "Imputer", [(narrow, "b f")], fill,
               expected={"y": np.where(narrow == 2, 99, narrow).astype(np.int32)})


def encoder_cases():
    """LabelEncoder: few keys and many, of each pair of types."""
    floating, wide = (halves(3, 4), "b f"), (whole(3, 4), "b f")
    few = {"i": [3, -1, 0], "f": [0.5, -1.5, 3.0]}
    values = {"i": [7, 2**40, -3], "f": [0.25, -8.0, 1e6]}
    names = {"i": "int64s", "f": "floats"}
    types = {"i": np.int64, "f": np.float32}
    for version in (2, 4):
        for pair in ("ii", "if", "fi", "ff"):
            if version == 2 and pair == "ii":
                continue  # the peer has it from version 4 on
            if version == 2 and pair == "ff":
                continue
            key, value = pair
            yield case(f"encoder_{pair}_{version}", "LabelEncoder",
                       [wide if key == "i" else floating],
                       {f"keys_{names[key]}": few[key], f"values_{names[value]}": values[value],
                        "default_int64": 5, "default_float": -2.5},
                       types={"y": types[value]}, version=version)
    many = np.random.default_rng(1).permutation(np.arange(-3, 100))
    for count in (16, 17, 32, 33, 100):
        yield case(f"encoder_many_{count}", "LabelEncoder", [wide],
                   {"keys_int64s": many[:count], "values_int64s": np.arange(count) * 10},
                   version=4)
        yield case(f"encoder_many_floats_{count}", "LabelEncoder", [floating],
                   {"keys_floats": many[:count] / 2, "values_floats": np.arange(count) / 4.0},
                   types=REAL, version=4)
    twice = {"keys_int64s": [1, 2, 1, 3] * 6, "values_int64s": np.arange(24)}
    yield case("encoder_twice", "LabelEncoder", [wide], twice, version=4)
    nan = {"keys_floats": [0.5, np.nan, 1.0, np.nan], "values_floats": [1.0, 2.0, 3.0, 4.0]}
    missing = (with_nan(floating[0]), "b f")
    yield case("encoder_nan", "LabelEncoder", [missing], nan, version=4)
    keys = np.append(many / 2, np.nan)
    yield case("encoder_nan_many", "LabelEncoder", [missing],
               {"keys_floats": keys, "values_floats": np.arange(len(keys)) / 2.0}, version=4)
    yield case("encoder_nan_2", "LabelEncoder", [missing],
               {"keys_floats": [0.5, np.nan], "values_int64s": [1, 2]},
               types={"y": np.int64}, version=2)
    double = (floating[0].astype(np.float64), "b f")
    yield case("encoder_double", "LabelEncoder", [double],
               {"keys_tensor": tensor([0.5, -1.5], np.float64),
                "values_tensor": tensor([0.1, 0.2], np.float64),
                "default_tensor": tensor(9.5, np.float64)}, version=4)
    yield case("encoder_double_int", "LabelEncoder", [double],
               {"keys_tensor": tensor([0.5, -1.5], np.float64), "values_int64s": [4, 8]},
               types={"y": np.int64}, version=4)
    narrow = whole(3, 4, kind=np.int16)
    yield case("encoder_int16", "LabelEncoder", [(narrow, "b f")],
               {"keys_tensor": tensor([1, 2], np.int16),
                "values_tensor": tensor([-5, 300], np.int16)}, version=4,
               expected={"y": np.where(narrow == 1, -5, np.where(narrow == 2, 300, -1))
                         .astype(np.int16)})
    yield case("encoder_scalar", "LabelEncoder", [(np.array(3), "")],
               {"keys_int64s": [3], "values_int64s": [4]}, version=4)


def linear_cases():
    """Linear models, with one score and more."""
    x, weights = (floats(4, 5), "b f"), [float(v) for v in floats(15)]
    op = "LinearRegressor"
    yield case("linear_one", op, [x], {"coefficients": weights[:5], "targets": 1})
    yield case("linear_row", op, [(x[0][0], "f")], {"coefficients": weights, "targets": 3})
    for transform in TRANSFORMS:
        scale = 0.05 if transform == "PROBIT" else 1.0
        form = {"coefficients": [v * scale for v in weights], "intercepts": [0.5, 0.4, 0.3],
                "post_transform": transform}
        yield case(f"linear_{transform}", op, [x], form | {"targets": 3}, tolerance=1e-4)
        if transform != "NONE":
            yield case(f"linear_one_{transform}", op, [x],
                       form | {"targets": 1, "coefficients": form["coefficients"][:5],
                               "intercepts": [0.5]}, tolerance=1e-4)
        yield case(f"classes_{transform}", "LinearClassifier", [x],
                   form | {"classlabels_ints": [7, -2, 5]}, outputs="y z", types=LABEL,
                   tolerance=1e-4)
    op, short = "LinearClassifier", {"coefficients": weights[:5], "intercepts": [0.1]}
    fields = {"outputs": "y z", "types": LABEL}
    for transform in ("NONE", "LOGISTIC", "SOFTMAX"):
        yield case(f"classes_two_{transform}", op, [x],
                   short | {"classlabels_ints": [7, 3], "post_transform": transform}, **fields)
    yield case("classes_unnamed", op, [x], short, **fields)
    yield case("classes_row", op, [(x[0][0], "f")], short | {"classlabels_ints": [7, 9]}, **fields)
    yield case("classes_bare", op, [x], {"coefficients": weights, "classlabels_ints": [1, 2, 3]},
               peer={"attributes": {"coefficients": weights, "intercepts": [0.0, 0.0, 0.0],
                                    "classlabels_ints": [1, 2, 3]}}, **fields)
    for kind in (np.float64, np.int32, np.int64):
        yield case(f"classes_{np.dtype(kind).name}", op, [(whole(4, 5, kind=kind), "b f")],
                   {"coefficients": weights, "intercepts": [0.5, 0.4, 0.3],
                    "classlabels_ints": [0, 1, 2]}, **fields)


def kernels():
    """The kernel functions, by name."""
    yield "linear", {"kernel_type": "LINEAR", "kernel_params": [0.0, 0.0, 0.0]}
    yield "rbf", {"kernel_type": "RBF", "kernel_params": [0.4, 0.0, 3.0]}
    yield "square", {"kernel_type": "POLY", "kernel_params": [0.3, 0.5, 2.0]}
    yield "cube", {"kernel_type": "POLY", "kernel_params": [0.3, 0.0, 3.0]}
    yield "fourth", {"kernel_type": "POLY", "kernel_params": [0.2, 0.1, 4.0]}
    yield "sigmoid", {"kernel_type": "SIGMOID", "kernel_params": [0.2, 0.1, 0.0]}


def machine(counts: list, features: int = 3, seed: int = 0) -> dict:
    """The attributes of a classifier with so many support vectors per class."""
    vectors, classes = sum(counts), len(counts)
    pairs = classes * (classes - 1) // 2
    return {"support_vectors": floats(vectors * features, seed=seed),
            "vectors_per_class": counts,
            "coefficients": floats(vectors * (classes - 1), seed=seed + 1),
            "rho": floats(pairs, seed=seed + 2, scale=0.3),
            "classlabels_ints": [5, 2, 9, -4][:classes]}


def vector_cases():
    """Support vector machines."""
    x, fields = (floats(6, 3), "b f"), {"outputs": "y z", "types": LABEL, "tolerance": 1e-4}
    base = {"support_vectors": floats(12), "coefficients": floats(4), "rho": [0.25],
            "n_supports": 4}
    for name, kernel in kernels():
        yield case(f"svr_{name}", "SVMRegressor", [x], base | kernel)
        yield case(f"svc_{name}", "SVMClassifier", [x], machine([2, 3, 2]) | kernel, **fields)
    _, rbf = list(kernels())[1]
    yield case("svr_one_class", "SVMRegressor", [x], base | rbf | {"one_class": 1})
    yield case("svr_row", "SVMRegressor", [(x[0][0], "f")], base | rbf)
    line = {"coefficients": floats(3), "rho": [0.5], "kernel_params": [0.0, 0.0, 0.0]}
    yield case("svr_line", "SVMRegressor", [x], line | {"kernel_type": "RBF"})
    op = "SVMClassifier"
    for transform in TRANSFORMS:
        shape = {"post_transform": transform} | rbf
        yield case(f"svc_three_{transform}", op, [x], machine([2, 3, 2]) | shape, **fields)
        if transform != "PROBIT":
            yield case(f"svc_two_{transform}", op, [x], machine([3, 2]) | shape, **fields)
    for counts in ([3, 4], [2, 3, 2], [2, 1, 3, 2]):
        pairs = len(counts) * (len(counts) - 1) // 2
        yield case(f"svc_chance_{len(counts)}", op, [x],
                   machine(counts) | rbf | {"prob_a": floats(pairs, seed=7),
                                            "prob_b": floats(pairs, seed=8)}, **fields)
    for kind in (np.float64, np.int32, np.int64):
        yield case(f"svc_{np.dtype(kind).name}", op, [(whole(6, 3, kind=kind), "b f")],
                   machine([2, 3, 2]) | rbf, **fields)
    for name, weights in (("mixed", floats(6)), ("positive", np.abs(floats(6)))):
        yield case(f"svc_line_{name}", op, [x],
                   {"coefficients": weights, "rho": [0.1], "classlabels_ints": [4, 6],
                    "kernel_params": [0.0, 0.0, 0.0]}, **fields)
    yield case("svc_line_three", op, [x],
               {"coefficients": floats(9), "rho": [0.1], "classlabels_ints": [4, 6, 8],
                "kernel_params": [0.0, 0.0, 0.0], "post_transform": "SOFTMAX"}, **fields)


def regressor_cases():
    """TreeEnsembleRegressor: aggregates, modes, depths, types."""
    op, x = "TreeEnsembleRegressor", (halves(9, 4), "b f")
    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        for targets in (1, 3):
            yield case(f"trees_{aggregate}_{targets}", op, [x],
                       forest("target", trees=5, depth=4, targets=targets)
                       | {"aggregate_function": aggregate, "n_targets": targets})
            yield case(f"trees_{aggregate}_{targets}_base", op, [x],
                       forest("target", trees=3, depth=3, targets=targets, seed=5)
                       | {"aggregate_function": aggregate, "n_targets": targets,
                          "base_values": [0.5, -2.0, 8.0][:targets]})
    for mode in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ"):
        yield case(f"trees_{mode}", op, [x],
                   forest("target", trees=4, depth=4, modes=[f"BRANCH_{mode}"])
                   | {"n_targets": 1})
        yield case(f"trees_{mode}_missing", op, [(with_nan(x[0]), "b f")],
                   forest("target", trees=4, depth=4, modes=[f"BRANCH_{mode}"], missing=True)
                   | {"n_targets": 1})
        yield case(f"trees_{mode}_nan", op, [(with_nan(x[0]), "b f")],
                   forest("target", trees=4, depth=4, modes=[f"BRANCH_{mode}"])
                   | {"n_targets": 1})
    modes = [f"BRANCH_{mode}" for mode in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")]
    yield case("trees_mixed", op, [(with_nan(x[0]), "b f")],
               forest("target", trees=6, depth=5, modes=modes, missing=True, targets=2)
               | {"n_targets": 2})
    for transform in TRANSFORMS[1:]:
        for targets in (1, 3):
            attributes = forest("target", trees=4, depth=3, targets=targets, scale=0.05)
            yield case(f"trees_{transform}_{targets}", op, [x],
                       attributes | {"n_targets": targets, "post_transform": transform,
                                     "base_values": [0.5, 0.25, 0.75][:targets]},
                       tolerance=1e-4)
    double = (halves(9, 4, kind=np.float64) / 3, "b f")
    attributes = forest("target", trees=4, depth=4, targets=2)
    yield case("trees_double", op, [double], attributes | {"n_targets": 2}, types=REAL)
    wide = leaf_weights(attributes, "target_weights", np.float64) \
        | {"nodes_values_as_tensor": tensor(np.array(attributes["nodes_values"]) / 3, np.float64)}
    del wide["nodes_values"]
    yield case("trees_double_3", op, [double], wide | {"n_targets": 2}, types=REAL, version=3)
    yield case("trees_leaf", op, [x], forest("target", trees=3, depth=0) | {"n_targets": 1})
    yield case("trees_deep", op, [x],
               forest("target", trees=2, depth=60, chain=True) | {"n_targets": 1})
    yield case("trees_many", op, [x], forest("target", trees=90, depth=6) | {"n_targets": 1},
               tolerance=1e-4)
    yield case("trees_row", op, [(x[0][0], "f")],
               forest("target", trees=5, depth=4, targets=3) | {"n_targets": 3},
               peer={"inputs": [(x[0][:1], "b f")]})  # a vector has one feature to it
    yield case("trees_sparse", op, [x],
               forest("target", trees=5, depth=4, targets=3, one_target=True)
               | {"n_targets": 3, "aggregate_function": "MIN"})
    for aggregate in ("SUM", "MAX"):
        yield case(f"trees_sparse_base_{aggregate}", op, [x],
                   forest("target", trees=2, depth=3, targets=3, one_target=True)
                   | {"n_targets": 3, "aggregate_function": aggregate,
                      "base_values": [0.5, -2.0, 8.0]})
    yield case("trees_boosted_base", op, [x],
               forest("target", trees=6, depth=3, targets=3, by_tree=True)
               | {"n_targets": 3, "base_values": [0.5, -2.0, 8.0]})


def classifier_cases():
    """TreeEnsembleClassifier: how many classes have weights, and which labels win."""
    op, x = "TreeEnsembleClassifier", (halves(40, 4), "b f")
    fields = {"outputs": "y z", "types": LABEL, "tolerance": 1e-4}
    labels = {"classlabels_int64s": [5, -2, 9]}
    for transform in TRANSFORMS:
        attributes = forest("class", trees=4, depth=4, targets=3, scale=0.1)
        yield case(f"votes_{transform}", op, [x],
                   attributes | labels | {"post_transform": transform}, **fields)
    boosted = forest("class", trees=6, depth=3, targets=3, by_tree=True)
    yield case("votes_boosted", op, [x], boosted | labels, **fields)
    yield case("votes_base", op, [x], boosted | labels | {"base_values": [0.5, -1.0, 0.25]},
               **fields)
    yield case("votes_sparse", op, [x],
               forest("class", trees=2, depth=4, targets=3, one_target=True) | labels, **fields)
    two = {"classlabels_int64s": [4, 7]}
    for sign in ("positive", "mixed"):
        for transform in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
            for index in (0, 1):
                attributes = forest("class", trees=3, depth=4, positive=sign == "positive",
                                    scale=0.3, only=index)
                yield case(f"two_{sign}_{transform}_{index}", op, [x],
                           attributes | two | {"post_transform": transform}, **fields)
    for transform in ("NONE", "LOGISTIC"):
        yield case(f"two_base_{transform}", op, [x],
                   forest("class", trees=3, depth=4, only=0, scale=0.3)
                   | two | {"base_values": [0.2], "post_transform": transform}, **fields)
    both = forest("class", trees=3, depth=4, targets=2)
    for transform in TRANSFORMS[:4]:
        yield case(f"two_both_{transform}", op, [x],
                   both | {"classlabels_int64s": [0, 1], "post_transform": transform}, **fields)
    yield case("two_both_labels", op, [x], both | two, **fields)
    yield case("two_sparse", op, [x],
               forest("class", trees=1, depth=4, targets=2, one_target=True)
               | {"classlabels_int64s": [0, 1]}, **fields)
    one = {"classlabels_int64s": [3]}
    yield case("one_class", op, [x], forest("class", trees=3, depth=3) | one, **fields)
    yield case("one_class_base", op, [x],
               forest("class", trees=3, depth=3) | one | {"base_values": [0.5]}, **fields)
    for kind in (np.float64, np.int32, np.int64):
        yield case(f"votes_{np.dtype(kind).name}", op, [(whole(40, 4, kind=kind), "b f")],
                   forest("class", trees=4, depth=4, targets=3) | labels, **fields)
    double = forest("class", trees=4, depth=4, targets=3)
    yield case("votes_double_3", op, [(halves(40, 4, kind=np.float64), "b f")],
               leaf_weights(double, "class_weights", np.float64) | labels, version=3, **fields)


def ensemble_cases():
    """TreeEnsemble, version 5."""
    op, x = "TreeEnsemble", (halves(9, 4), "b f")
    fields = {"version": 5, "tolerance": 1e-4}
    for aggregate in range(4):
        for targets in (1, 3):
            yield case(f"ensemble_{aggregate}_{targets}", op, [x],
                       branches(trees=4, depth=4, targets=targets)
                       | {"aggregate_function": aggregate}, **fields)
    for mode in range(6):
        yield case(f"ensemble_mode_{mode}", op, [(with_nan(x[0]), "b f")],
                   branches(trees=4, depth=4, modes=[mode], missing=True), **fields)
    yield case("ensemble_double", op, [(halves(9, 4, kind=np.float64) / 3, "b f")],
               branches(trees=4, depth=4, targets=2, kind=np.float64), **fields)
    for sets in (3, 40):
        numbers = with_nan(whole(30, 4, kind=np.float32))
        yield case(f"ensemble_members_{sets}", op, [(numbers, "b f")],
                   branches(trees=4, depth=4, modes=[0, 6, 6, 3], members=sets, missing=True),
                   **fields)
    # The peer takes 2.5 for a 2: it gets a number that is in no set.
    numbers = halves(30, 4)
    outside = np.where(numbers == np.floor(numbers), numbers, np.float32(1000))
    yield case("ensemble_members_halves", op, [(numbers, "b f")],
               branches(trees=4, depth=4, modes=[6], members=5),
               peer={"inputs": [(outside, "b f")]}, **fields)
    for transform, peer in ((1, 2), (2, 1), (3, 3), (4, 4)):  # the peer has 1 and 2 swapped
        attributes = branches(trees=3, depth=3, targets=3)
        yield case(f"ensemble_{TRANSFORMS[transform]}", op, [x],
                   attributes | {"post_transform": transform},
                   peer={"attributes": attributes | {"post_transform": peer}}, **fields)
    yield case("ensemble_stump", op, [x], branches(trees=2, depth=1), **fields)
    half = branches(trees=3, depth=3, targets=2, kind=np.float16)
    full = branches(trees=3, depth=3, targets=2)
    yield case("ensemble_half", op, [(x[0].astype(np.float16), "b f")], half,
               version=5, tolerance=2e-3, types={"y": np.float16},
               expected={"y": reference(op, x[0], full).astype(np.float16)})


def reference(op: str, x: np.ndarray, attributes: dict) -> np.ndarray:
    """What the peer computes in single precision, for a type that it has not."""
    return run_peer(case("reference", op, [(x, "b f")], attributes, version=5))["y"]


FAMILIES = (preprocess_cases, imputer_cases, encoder_cases, linear_cases, vector_cases,
            regressor_cases, classifier_cases, ensemble_cases, failing_cases)
