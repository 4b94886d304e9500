"""Inputs of the recipes: seeded numbers, and pictures, sound and text where
random numbers mean nothing to a model.

A recipe names for each input a shape (numbers, or names of free sizes) and a
kind; the kinds are the functions of KINDS below.
"""

import functools

import numpy as np
from PIL import Image
from sklearn.datasets import load_sample_images

from render import render_line


def uniform(shape, generator, spec):
    """Even between `low` and `high`."""
    low, high = spec.get("low", -1.0), spec.get("high", 1.0)
    return low + (high - low) * generator.random(shape)


def normal(shape, generator, spec):
    """Normal with `mean` and `spread`."""
    drawn = generator.standard_normal(shape)
    return spec.get("mean", 0.0) + spec.get("spread", 1.0) * drawn


def integers(shape, generator, spec):
    """Whole numbers from `low` up to, not including, `high`."""
    return generator.integers(spec.get("low", 0), spec["high"], shape)


def ones(shape, generator, spec):
    """All 1."""
    del generator, spec
    return np.ones(shape)


def mask(shape, generator, spec):
    """Rows of ones; all but the first end in zeros, as padded batches do."""
    del spec
    result = np.ones(shape)
    for row in result[1:]:
        row[generator.integers(1, shape[-1] + 1) :] = 0
    return result


@functools.cache
def photographs() -> list[np.ndarray]:
    """Returns scikit-learn's two photographs, RGB bytes [427, 640, 3]."""
    return load_sample_images().images


def picture(shape, generator, spec):
    """Crops of photographs, NCHW, as byte * `scale` + `offset`; `bgr` swaps."""
    batch, channels, height, width = shape
    result = np.empty(shape)
    for index in range(batch):
        photo = photographs()[generator.integers(2)]
        side = int(generator.integers(200, 420))
        y = int(generator.integers(photo.shape[0] - side))
        x = int(generator.integers(photo.shape[1] - side))
        crop = Image.fromarray(photo[y : y + side, x : x + side])
        pixels = np.asarray(crop.resize((width, height)), np.float64)
        if spec.get("bgr"):
            pixels = pixels[:, :, ::-1]
        if channels == 1:
            pixels = pixels.mean(axis=2, keepdims=True)
        result[index] = pixels.transpose(2, 0, 1)
    return result * spec.get("scale", 1.0) + spec.get("offset", 0.0)


def sound(shape, generator, spec):
    """Voiced sound: harmonics of a wandering pitch, in syllables, with noise."""
    batch, samples = shape
    time = np.arange(samples) / spec.get("rate", 16000)
    result = np.empty(shape)
    for row in result:
        pitch = generator.uniform(90, 250)
        phase = 2 * np.pi * pitch * (time + 0.01 * np.sin(2 * np.pi * 2 * time))
        tone = sum(
            generator.uniform(0.2, 1) / k * np.sin(k * phase) for k in range(1, 12)
        )
        syllables = np.maximum(0, np.sin(2 * np.pi * generator.uniform(2, 5) * time))
        noise = generator.standard_normal(samples) * generator.uniform(0.001, 0.02)
        row[:] = 0.1 * tone * syllables + noise
    return result


def text_line(shape, generator, spec):
    """Lines of rendered words, as the PP-OCR recognisers want them."""
    del spec
    words = "the quick brown fox jumps over lazy dogs 0123 Leipzig 42".split()
    lines = []
    for _ in range(shape[0]):
        text = " ".join(generator.choice(words, 8))
        lines.append(render_line(text, width=shape[3]))
    return np.concatenate(lines)


KINDS = {
    kind.__name__: kind
    for kind in (uniform, normal, integers, ones, mask, picture, sound, text_line)
}


def make_input(spec: dict, sizes: dict, generator) -> np.ndarray:
    """Returns one input of a recipe at the given sizes."""
    shape = tuple(sizes.get(dim, dim) for dim in spec["shape"])
    values = KINDS[spec["kind"]](shape, generator, spec)
    return np.asarray(values).astype(spec.get("type", "float32"))


def make_inputs(recipe: dict, sizes: dict, seed: int) -> dict:
    """Returns every input of a recipe, the same for the same seed."""
    generator = np.random.default_rng(seed)
    return {
        name: make_input(spec, sizes, generator)
        for name, spec in recipe["inputs"].items()
    }
