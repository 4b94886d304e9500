#!/usr/bin/env python3
"""Draws picture.png: lines of text in several sizes, dark on a light ground.

usage: make_picture.py [--out FILE]
"""

import argparse
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).resolve().parent
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
LINES = [
    ("Hello LeZero 2026", 36),
    ("one shared library reads every width", 30),
    ("from ONNX to machine code, ahead of time", 26),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "picture.png")
    options = parser.parse_args()
    image = Image.new("RGB", (640, 200), (252, 250, 244))
    draw = ImageDraw.Draw(image)
    y = 20
    for text, size in LINES:
        face = ImageFont.truetype(FONT, size)
        draw.text((24, y), text, (32, 34, 48), face)
        y += size + 24
    image.save(options.out, optimize=True)


if __name__ == "__main__":
    main()
