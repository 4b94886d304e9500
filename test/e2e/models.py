"""Where the models of the recipes come from.

A recipe's `model` is `SOURCE:NAME`:
    models:NAME     test/models/, committed with the script that made it
    graphs:NAME     test/models/graphs/, whose weights are drawn into the build
    external:NAME   the folder named by LZ_MODELS; skipped without it
    rapidocr:NAME   the PyPI package rapidocr-onnxruntime
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "models"
RECIPES = HERE / "recipes"


class Missing(Exception):
    """The model is not on this machine; the text says what would bring it."""


def rapidocr_folder() -> Path:
    """Returns the package's folder of models, without importing the package."""
    found = importlib.util.find_spec("rapidocr_onnxruntime")
    if not found:
        raise Missing("the PyPI package rapidocr-onnxruntime is not installed")
    return Path(found.origin).parent / "models"


def external_folder() -> Path:
    """Returns the folder of models that are not ours to commit."""
    if not os.environ.get("LZ_MODELS"):
        raise Missing("LZ_MODELS does not name the folder of external models")
    return Path(os.environ["LZ_MODELS"])


def filled_graph(name: str, cache: Path) -> Path:
    """Draws a graph's weights into the cache folder, once."""
    out = cache / "graphs"
    script = MODELS / "graphs" / "fill_weights.py"
    command = [sys.executable, str(script), "--out", str(out), name]
    subprocess.run(command, check=True, capture_output=True)
    return out / f"{name}.onnx"


def find_model(reference: str, cache: Path) -> Path:
    """Returns a writable folder's copy of the model that a recipe names."""
    source, name = reference.split(":", 1)
    if source == "graphs":
        return filled_graph(name, cache)
    folder = {
        "models": lambda: MODELS,
        "external": external_folder,
        "rapidocr": rapidocr_folder,
    }[source]()
    path = folder / f"{name}.onnx"
    if not path.exists():
        raise Missing(f"no file {name}.onnx in the {source} models")
    copy = cache / "models" / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    return copy


def load_recipes(only: str = "") -> dict:
    """Returns the recipes by name: all, or those in a comma-separated list."""
    recipes = {
        path.stem: json.loads(path.read_text()) for path in RECIPES.glob("*.json")
    }
    if not only:
        return dict(sorted(recipes.items()))
    unknown = set(only.split(",")) - set(recipes)
    if unknown:
        raise SystemExit(f"error: no recipe named {', '.join(sorted(unknown))}")
    return {name: recipes[name] for name in only.split(",")}
