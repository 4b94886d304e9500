"""Classical models that must be refused: what has strings, and hostile attributes.

Each error names the node, the operator and the attribute at fault.
"""

import numpy as np
from onnx import numpy_helper

from ml_trees import branches, forest
from one_node import Case

TREES = "TreeEnsembleRegressor"
X = (np.zeros((2, 4), np.float32), "b f")
NUMBERS = (np.zeros((2, 4), np.int64), "b f")


def refused(name: str, op: str, inputs: list, attributes: dict, *words: str, **fields) -> Case:
    """A case whose error has `words`."""
    return Case(f"bad_{name}", op, inputs, attributes, domain="ai.onnx.ml",
                words=(op, *words), **fields)


def changed(attributes: dict, name: str, index: int, value) -> dict:
    """Returns the attributes with one element of one list replaced."""
    values = list(attributes[name])
    values[index] = value
    return attributes | {name: values}


def string_cases():
    """Strings and maps."""
    both, labels = {"outputs": "y z"}, ["a", "b"]
    strings = "strings are not computed with"
    for op in ("LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier"):
        needed = {"coefficients": [1.0, 2.0]} if op == "LinearClassifier" else {}
        yield refused(f"strings_{op}", op, [X], needed | {"classlabels_strings": labels},
                      "'classlabels_strings'", strings, **both)
    yield refused("strings_1", "LabelEncoder", [NUMBERS], {"classes_strings": labels},
                  "'classes_strings'", strings)
    yield refused("strings_keys", "LabelEncoder", [NUMBERS],
                  {"keys_strings": labels, "values_int64s": [1, 2]}, "'keys_strings'", strings,
                  version=2)
    yield refused("strings_values", "LabelEncoder", [NUMBERS],
                  {"keys_int64s": [1, 2], "values_strings": labels}, "'values_strings'", strings,
                  version=4)
    words = numpy_helper.from_array(np.array(labels, object), "t")
    yield refused("strings_tensor", "LabelEncoder", [NUMBERS],
                  {"keys_int64s": [1, 2], "values_tensor": words}, "'values_tensor'", strings,
                  version=4)
    yield refused("mapper", "CategoryMapper", [NUMBERS],
                  {"cats_strings": labels, "cats_int64s": [1, 2]}, "'cats_strings'", strings)
    yield refused("zip_map", "ZipMap", [X], {"classlabels_int64s": [1, 2, 3, 4]},
                  "'classlabels_int64s'", "maps")
    yield refused("one_hot_strings", "OneHotEncoder", [NUMBERS], {"cats_strings": labels},
                  "'cats_strings'", strings)


def list_cases():
    """Lists that do not fit each other or the input."""
    yield refused("scaler", "Scaler", [X], {"scale": [1.0, 2.0], "offset": [1.0]},
                  "'offset' has 1 elements, expected 2")
    yield refused("scaler_features", "Scaler", [X], {"scale": [1.0] * 3, "offset": [1.0] * 3},
                  "the input has 4 features", "for 3")
    yield refused("scaler_none", "Scaler", [X], {}, "'scale'")
    yield refused("imputer", "Imputer", [X], {"imputed_value_int64s": [1]},
                  "'imputed_value_int64s'")
    yield refused("norm", "Normalizer", [X], {"norm": "L3"}, "'norm' is 'L3'")
    yield refused("normalizer_rank", "Normalizer", [(np.zeros((2, 2, 2), np.float32), "a b c")],
                  {}, "rank 1 or 2, not 3")
    yield refused("vectorizer", "FeatureVectorizer", [X, X], {"inputdimensions": [4]},
                  "'inputdimensions' has 1 elements, expected 2")
    yield refused("vectorizer_huge", "FeatureVectorizer", [X], {"inputdimensions": [2**62]},
                  "'inputdimensions'", str(2**62))
    yield refused("one_hot_none", "OneHotEncoder", [NUMBERS], {}, "'cats_int64s'")
    yield refused("encoder_counts", "LabelEncoder", [NUMBERS],
                  {"keys_int64s": [1, 2], "values_int64s": [1]}, "2 keys and 1 values", version=2)
    yield refused("encoder_type", "LabelEncoder", [NUMBERS],
                  {"keys_floats": [1.0], "values_int64s": [1]}, "keys", "f32", version=2)
    yield refused("encoder_none", "LabelEncoder", [NUMBERS], {"values_int64s": [1]},
                  "'keys_int64s'", version=2)
    yield refused("coefficients", "LinearRegressor", [X],
                  {"coefficients": [1.0] * 5, "targets": 2}, "'coefficients' has 5 elements")
    yield refused("features", "LinearRegressor", [X], {"coefficients": [1.0] * 3},
                  "the input has 4 features", "for 3")
    yield refused("targets", "LinearRegressor", [X], {"coefficients": [1.0], "targets": 2**60},
                  "'targets'", str(2**60))
    yield refused("labels", "LinearClassifier", [X],
                  {"coefficients": [1.0] * 12, "intercepts": [0.0] * 3, "classlabels_ints": [1]},
                  "'classlabels_ints' has 1 elements, expected 3", outputs="y z")
    yield refused("one_label", "LinearClassifier", [X],
                  {"coefficients": [1.0] * 4, "intercepts": [0.0], "classlabels_ints": [1]},
                  "'classlabels_ints' has 1 elements, expected 2", outputs="y z")
    yield refused("transform", "LinearRegressor", [X],
                  {"coefficients": [1.0] * 4, "post_transform": "EXP"}, "'post_transform' is 'EXP'")


def vector_cases():
    """Support vectors."""
    base = {"support_vectors": [0.0] * 16, "coefficients": [1.0] * 4, "rho": [0.0],
            "n_supports": 4, "kernel_params": [0.0] * 3}
    op, both = "SVMRegressor", {"outputs": "y z"}
    yield refused("supports", op, [X], base | {"n_supports": 2**61}, "'n_supports'", str(2**61))
    yield refused("supports_uneven", op, [X], base | {"support_vectors": [0.0] * 15},
                  "'support_vectors' has 15 elements")
    yield refused("supports_weights", op, [X], base | {"coefficients": [1.0]},
                  "'coefficients' has 1 elements, expected 4")
    yield refused("kernel", op, [X], base | {"kernel_type": "COSINE"}, "'kernel_type' is 'COSINE'")
    yield refused("kernel_params", op, [X], base | {"kernel_params": [1.0]},
                  "'kernel_params' has 1 elements, expected 3")
    no_rho = {name: value for name, value in base.items() if name != "rho"}
    yield refused("rho", op, [X], no_rho, "'rho'")
    two = {"support_vectors": [0.0] * 16, "coefficients": [1.0] * 4, "rho": [0.0],
           "vectors_per_class": [2, 2], "classlabels_ints": [0, 1]}
    op = "SVMClassifier"
    yield refused("per_class", op, [X], two | {"vectors_per_class": [5, -1]},
                  "'vectors_per_class' has the element -1", **both)
    yield refused("per_class_huge", op, [X], two | {"vectors_per_class": [2**62, 2**62]},
                  "'vectors_per_class' has the element", **both)
    yield refused("pairs", op, [X], two | {"rho": [0.0, 1.0]},
                  "'rho' has 2 elements, expected 1", **both)
    yield refused("chances", op, [X], two | {"prob_a": [1.0]}, "'prob_b' has 0 elements", **both)


def tree_cases():
    """Trees that are none."""
    good = forest("target", trees=2, depth=2, seed=3) | {"n_targets": 1}
    leaf = good["nodes_modes"].index("LEAF")
    for name in ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids",
                 "nodes_falsenodeids", "nodes_values"):
        yield refused(f"short_{name}", TREES, [X], good | {name: good[name][:-1]}, f"'{name}' has")
    for name in ("target_nodeids", "target_treeids", "target_weights"):
        yield refused(f"short_{name}", TREES, [X], good | {name: good[name][:-1]}, f"'{name}' has")
    yield refused("cycle", TREES, [X], changed(good, "nodes_truenodeids", 0, 0), "cycle")
    yield refused("missing_child", TREES, [X], changed(good, "nodes_truenodeids", 0, 99),
                  "'nodes_truenodeids' names node 99 of tree 0")
    yield refused("wild_child", TREES, [X], changed(good, "nodes_falsenodeids", 0, -2**63),
                  "'nodes_falsenodeids' names node")
    yield refused("feature", TREES, [X], changed(good, "nodes_featureids", 0, 4),
                  "'nodes_featureids' has the element 4")
    yield refused("negative_feature", TREES, [X], changed(good, "nodes_featureids", 0, -1),
                  "'nodes_featureids' has the element -1")
    yield refused("mode", TREES, [X], changed(good, "nodes_modes", 0, "BRANCH_MAYBE"),
                  "'nodes_modes' has the element 'BRANCH_MAYBE'")
    yield refused("twice", TREES, [X], changed(good, "nodes_nodeids", 1, 0), "is there twice")
    lone = changed(changed(good, "nodes_modes", 0, "LEAF"), "nodes_values", 0, 0.0)
    yield refused("lone", TREES, [X], lone, "no tree's first node leads to")
    yield refused("bare_leaf", TREES, [X], changed(changed(
        good, "nodes_values", leaf, 1.0), "target_nodeids", 0, 0), "without a weight")
    yield refused("two_weights", TREES, [X], good | {
        name: good[name] + good[name][:1]
        for name in ("target_ids", "target_treeids", "target_nodeids", "target_weights")},
        "two weights for the only target")
    yield refused("apart", TREES, [X], changed(good, "nodes_treeids", leaf, 1),
                  "'nodes_treeids' has tree 0 in two places")
    yield refused("target", TREES, [X], changed(good, "target_ids", 0, 1),
                  "'target_ids' has the element 1")
    yield refused("targets_huge", TREES, [X], good | {"n_targets": 2**50}, str(2**50))
    yield refused("targets_many", TREES, [X], good | {"n_targets": 2**24}, "too large")
    yield refused("no_targets", TREES, [X], good | {"n_targets": 0}, "0 targets")
    yield refused("aggregate", TREES, [X], good | {"aggregate_function": "MEDIAN"},
                  "'aggregate_function' is 'MEDIAN'")
    yield refused("base", TREES, [X], good | {"base_values": [1.0, 2.0]},
                  "'base_values' has 2 elements, expected 1")
    no_nodes = {"n_targets": 1}
    yield refused("no_nodes", TREES, [X], no_nodes, "'nodes_modes' has 0 elements")
    two = forest("class", trees=2, depth=2, only=0) | {"classlabels_int64s": [0, 1]}
    yield refused("probit", "TreeEnsembleClassifier", [X], two | {"post_transform": "PROBIT"},
                  "'PROBIT'", outputs="y z")
    tensor = numpy_helper.from_array(np.array(good["nodes_values"], np.float64), "t")
    yield refused("both_values", TREES, [X], good | {"nodes_values_as_tensor": tensor},
                  "'nodes_values_as_tensor' are both given", version=3)


def branch_cases():
    """The same of version 5."""
    op, version = "TreeEnsemble", {"version": 5}
    good = branches(trees=2, depth=2, modes=[0, 6], members=3, seed=1)
    count = len(good["nodes_featureids"])
    inner = next(i for i in range(count) if not good["nodes_trueleafs"][i])
    yield refused("v5_cycle", op, [X], changed(good, "nodes_truenodeids", inner, inner), "cycle",
                  **version)
    yield refused("v5_child", op, [X], changed(good, "nodes_truenodeids", 0, 999),
                  "'nodes_truenodeids' has the element 999", **version)
    yield refused("v5_negative", op, [X], changed(good, "nodes_falsenodeids", 0, -1),
                  "'nodes_falsenodeids' has the element -1", **version)
    yield refused("v5_root", op, [X], good | {"tree_roots": [count]},
                  f"'tree_roots' has the element {count}", **version)
    yield refused("v5_mode", op, [X], good | {"nodes_modes": numpy_helper.from_array(
        np.full(count, 7, np.uint8), "t")}, "'nodes_modes' has the element 7", **version)
    yield refused("v5_splits", op, [X], good | {"nodes_splits": numpy_helper.from_array(
        np.zeros(1, np.float32), "t")}, "'nodes_splits' has 1 elements", **version)
    yield refused("v5_sets", op, [X], good | {"membership_values": numpy_helper.from_array(
        np.array([1, np.nan] * 50, np.float32), "t")}, "'membership_values' has more sets",
        **version)
    yield refused("v5_transform", op, [X], good | {"post_transform": 5}, "'post_transform' is 5",
                  **version)
    yield refused("v5_aggregate", op, [X], good | {"aggregate_function": -1},
                  "'aggregate_function' is -1", **version)
    yield refused("v5_target", op, [X], changed(good, "leaf_targetids", 0, 7),
                  "'leaf_targetids' has the element 7", **version)


def failing_cases():
    """All of them."""
    for family in (string_cases, list_cases, vector_cases, tree_cases, branch_cases):
        yield from family()
