"""Cases of GroupQueryAttention: see one_node.py."""

import numpy as np

from arrays import floats, of
from one_node import Case

BATCH, HEADS, GROUPS, HEAD = 2, 4, 2, 16


def step(length: int, past: int, total: int | None = None, ends: tuple = (), *,
         packed: bool = False, kind=np.float32, batch: int = BATCH) -> list:
    """Operands 0 to 6 of `length` new positions after `past` rows of a cache.

    `ends` are the last positions of the samples, `total` - 1 if absent.
    """
    total = past + length if total is None else total
    rows = f"b {length if length == 1 else 's'}"
    query, key, value = (floats(batch, length, heads * HEAD, seed=seed, kind=kind)
                         for seed, heads in ((0, HEADS), (1, GROUPS), (2, GROUPS)))
    width = HEADS * HEAD
    if packed:
        new = [(np.concatenate([query, key, value], 2), f"{rows} {width + 2 * GROUPS * HEAD}"),
               None, None]
    else:
        new = [(query, f"{rows} {width}"), (key, f"{rows} {GROUPS * HEAD}"),
               (value, f"{rows} {GROUPS * HEAD}")]
    cache = [(floats(batch, GROUPS, past, HEAD, seed=seed, kind=kind), f"b {GROUPS} p {HEAD}")
             for seed in (3, 4)] if past else [None, None]
    last = np.array(ends or (total - 1,) * batch, np.int32)
    return [*new, *cache, (last, "b"), (of(total, np.int32), "")]


def angles(kind=np.float32, rows: int = 32, half: int = HEAD // 2) -> list:
    """Caches of cosines and sines."""
    turned = np.arange(rows)[:, None] / 10.0 ** np.arange(half)
    return [np.cos(turned).astype(kind), np.sin(turned).astype(kind)]


def group_query_cases():
    """Prompts and steps after them."""
    def case(name: str, inputs: list, **attributes) -> Case:
        kind = inputs[0][0].dtype
        return Case(f"group_query_{name}", "GroupQueryAttention", inputs,
                    {"num_heads": HEADS, "kv_num_heads": GROUPS} | attributes, "y k v",
                    tolerance=1e-5 if kind == np.float32 else 2e-3)

    yield case("prompt", step(5, 0))
    yield case("prompt_packed", step(5, 0, packed=True))
    yield case("step", step(1, 7))
    yield case("step_packed", step(1, 7, packed=True))
    yield case("step_half", step(1, 7, kind=np.float16))
    yield case("steps", step(3, 7, batch=1))
    yield case("ends_differ", step(1, 7, ends=(7, 4)))
    yield case("scale", step(5, 0), scale=0.25)
    yield case("cap", step(1, 7), softcap=0.5)
    yield case("smooth", step(1, 7), smooth_softmax=1)
    for window in (1, 3, 20):
        yield case(f"window_{window}_prompt", step(5, 0), local_window_size=window)
        yield case(f"window_{window}_step", step(1, 7), local_window_size=window)
    for interleaved in (0, 1):
        rotary = {"do_rotary": 1, "rotary_interleaved": interleaved}
        yield case(f"rotary_{interleaved}_prompt", step(5, 0) + angles(), **rotary)
        yield case(f"rotary_{interleaved}_step", step(1, 7, ends=(7, 5)) + angles(), **rotary)
    yield case("rotary_packed", step(1, 7, packed=True) + angles(), do_rotary=1)
    positions = (np.array([[9], [3]]), "b 1")
    yield case("positions", [*step(1, 7), *angles(), positions], do_rotary=1)
    bias = (floats(1, HEADS, 1, 8, seed=5), f"1 {HEADS} 1 8")
    yield case("bias", [*step(1, 7), None, None, None, bias])
    yield case("sink", [*step(1, 7), None, None, None, None, floats(HEADS, seed=6)])
    yield case("sink_prompt", [*step(5, 0), None, None, None, None, floats(HEADS, seed=6)])

    def bad(name: str, inputs: list, words: tuple = (), run_words: tuple = (), **attributes):
        made = case(name, inputs, **attributes)
        made.words, made.run_words = words, run_words
        return made

    yield bad("groups", step(1, 7), words=("'num_heads' is 4", "multiple"), kv_num_heads=3)
    yield bad("no_value", [*step(1, 7)[:2], None, *step(1, 7)[3:]], words=("given together",))
    yield bad("no_caches", step(1, 7), words=("'do_rotary' needs",), do_rotary=1)
    yield bad("quantized", [*step(1, 7), *[None] * 5, of(1.0)], words=("k_scale",))
    yield bad("beyond", step(1, 7, ends=(7, 9)), run_words=("sequences_beyond_the_cache",))
