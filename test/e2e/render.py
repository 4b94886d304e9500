"""Rendered lines of text, and what a PP-OCR recogniser makes of them."""

import functools
from pathlib import Path

import numpy as np
import onnx
from PIL import Image, ImageDraw, ImageFont

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
HEIGHT = 48


@functools.cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Returns DejaVu Sans, which the Debian package fonts-dejavu-core has."""
    return ImageFont.truetype(str(FONT), size)


def draw_line(text: str, width: int | None = None) -> Image.Image:
    """Draws black text on white, 48 pixels high, as wide as it needs."""
    face = font(36)
    wide = width or int(face.getlength(text)) + 16
    image = Image.new("RGB", (wide, HEIGHT), "white")
    ImageDraw.Draw(image).text((8, HEIGHT // 2), text, "black", face, anchor="lm")
    return image


def to_tensor(image: Image.Image) -> np.ndarray:
    """Returns the recogniser's input: BGR, (x / 255 - 0.5) / 0.5, NCHW."""
    pixels = np.asarray(image, np.float32)[:, :, ::-1]
    return ((pixels / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None].astype(np.float32)


def render_line(text: str, width: int | None = None) -> np.ndarray:
    """Draws a line and returns it as the recogniser's input."""
    return to_tensor(draw_line(text, width))


def characters(model: Path) -> list[str]:
    """Returns the text of each class: blank, the dictionary, the space."""
    loaded = onnx.load(model, load_external_data=False)
    properties = {entry.key: entry.value for entry in loaded.metadata_props}
    return ["", *properties["character"].splitlines(), " "]


def read_text(probabilities: np.ndarray, classes: list[str]) -> str:
    """Greedy CTC: best class of each step, repeats and blanks dropped."""
    best = probabilities.argmax(axis=-1)
    kept = np.concatenate([[True], best[1:] != best[:-1]])
    return "".join(classes[index] for index in best[kept])
