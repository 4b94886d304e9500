"""Random trees as attributes of the ensembles of ai.onnx.ml.

Leaves lie at different depths, and thresholds are multiples of a half, so that
features that are, too, are sometimes equal to them.
"""

import numpy as np
from onnx import numpy_helper

FEATURES = 4


def grow(rng, depth: int, chain: bool):
    """Returns a tree: None for a leaf, or the trees of true and false."""
    if depth == 0 or (not chain and rng.random() < 0.15 and depth < 3):
        return None
    if chain:  # one way is as deep as can be
        return grow(rng, depth - 1, chain), None
    return grow(rng, depth - 1, chain), grow(rng, depth - 1, chain)


def number(tree, start: int = 0) -> list:
    """Returns the nodes in the order of their numbers: (number, true, false), the
    last two None for a leaf."""
    if tree is None:
        return [(start, None, None)]
    left = number(tree[0], start + 1)
    right = number(tree[1], start + 1 + len(left))
    return [(start, start + 1, start + 1 + len(left))] + left + right


def draw_weight(rng, scale: float, positive: bool) -> float:
    """Returns a weight of a leaf, exact in single precision."""
    value = np.float32(rng.standard_normal() * scale)
    return float(abs(value) if positive else value)


def forest(kind: str, trees: int, depth: int, targets: int = 1, seed: int = 0,
           modes=("BRANCH_LEQ",), missing: bool = False, chain: bool = False,
           scale: float = 1.0, positive: bool = False, only: int | None = None,
           by_tree: bool = False, one_target: bool = False) -> dict:
    """Returns the attributes of versions 1 and 3; `kind` is `class` or `target`.

    Leaves have a weight for each target; for the target `only`; with `by_tree` for
    one that depends on the tree, and with `one_target` for any one.
    """
    rng = np.random.default_rng(seed + 10 * trees + depth)
    nodes = {name: [] for name in ("treeids", "nodeids", "featureids", "values", "modes",
                                   "truenodeids", "falsenodeids",
                                   "missing_value_tracks_true")}
    leaves = {name: [] for name in ("ids", "treeids", "nodeids", "weights")}
    for tree in range(trees):
        for index, true, false in number(grow(rng, depth, chain)):
            is_leaf = true is None
            row = (tree, index, 0 if is_leaf else int(rng.integers(FEATURES)),
                   0.0 if is_leaf else float(rng.integers(-4, 5)) / 2,
                   "LEAF" if is_leaf else str(rng.choice(modes)), true or 0, false or 0,
                   int(rng.integers(2)))
            for name, value in zip(nodes, row, strict=True):
                nodes[name].append(value)
            if not is_leaf:
                continue
            chosen = [only] if only is not None else [tree % targets] if by_tree else \
                [int(rng.integers(targets))] if one_target else range(targets)
            for target in chosen:
                for name, value in zip(leaves, (target, tree, index,
                                                draw_weight(rng, scale, positive)), strict=True):
                    leaves[name].append(value)
    if not missing:
        del nodes["missing_value_tracks_true"]
    return {f"nodes_{name}": values for name, values in nodes.items()} \
        | {f"{kind}_{name}": values for name, values in leaves.items()}


def leaf_weights(attributes: dict, name: str, kind) -> dict:
    """Returns the same attributes with `name` as a tensor."""
    result = dict(attributes)
    values = np.array(result.pop(name), kind) / 3
    return result | {f"{name}_as_tensor": numpy_helper.from_array(values, "t")}


def draw_set(rng, members: int) -> list:
    """Returns a set of at most so many members, integers as the peer wants them."""
    return list(np.unique(rng.integers(-4, members, rng.integers(1, members + 1))))


def branches(trees: int, depth: int, targets: int = 1, seed: int = 0, modes=(0,),
             missing: bool = False, members: int = 0, kind=np.float32) -> dict:
    """Returns the attributes of version 5, whose branches and leaves are two lists."""
    rng = np.random.default_rng(seed + 10 * trees + depth)
    names = ("featureids", "splits", "modes", "truenodeids", "trueleafs", "falsenodeids",
             "falseleafs", "missing_value_tracks_true")
    nodes = {name: [] for name in names}
    sets, leaves, roots = [], [], []

    def add_leaf() -> int:
        leaves.append((int(rng.integers(targets)), draw_weight(rng, 1.0, False)))
        return len(leaves) - 1

    def add(tree) -> tuple:
        """Adds a tree; returns its number and whether it is a leaf."""
        if tree is None:
            return add_leaf(), 1
        index, mode = len(nodes["modes"]), int(rng.choice(modes))
        row = (int(rng.integers(FEATURES)), float(rng.integers(-4, 5)) / 2, mode, 0, 0, 0, 0,
               int(rng.integers(2)))
        for name, value in zip(names, row, strict=True):
            nodes[name].append(value)
        if mode == 6:
            sets.extend([*draw_set(rng, members), np.nan])
        for side, child in zip(("true", "false"), tree, strict=True):
            nodes[f"{side}nodeids"][index], nodes[f"{side}leafs"][index] = add(child)
        return index, 0

    for _ in range(trees):
        roots.append(len(nodes["modes"]))
        add(grow(rng, depth, False) or (None, None))
    if not missing:
        del nodes["missing_value_tracks_true"]
    result = {f"nodes_{name}": values for name, values in nodes.items()}
    for name, values, type_ in (("nodes_splits", nodes["splits"], kind),
                                ("nodes_modes", nodes["modes"], np.uint8),
                                ("leaf_weights", [weight for _, weight in leaves], kind)):
        result[name] = numpy_helper.from_array(np.array(values, type_), name)
    if sets:
        result["membership_values"] = numpy_helper.from_array(np.array(sets, kind), "m")
    return result | {"tree_roots": roots, "n_targets": targets,
                     "leaf_targetids": [target for target, _ in leaves]}
