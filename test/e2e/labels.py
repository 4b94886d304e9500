"""The committed network of digits reads the committed images of digits."""

import numpy as np

from checks import Subject
from models import MODELS

# Of 16 unseen images; the trained network reads some wrong.
READ_RIGHT = 14


def check_labels(subject: Subject, quick: bool):
    """The likeliest digit of each image is the one that it shows."""
    with np.load(MODELS / subject.recipe["labels"]) as vectors:
        images, labels = vectors["image"], vectors["label"]
    result = subject.tools.run(subject.artifact(), {"image": images})
    (probabilities,) = result.outputs.values()
    right = int((probabilities.argmax(axis=1) == labels).sum())
    problems = []
    if right < READ_RIGHT:
        problems.append(f"expected at least {READ_RIGHT}")
    if not np.allclose(probabilities.sum(axis=1), 1, atol=1e-5):
        problems.append("the probabilities do not sum to 1")
    yield f"reads {right} of {len(labels)} digits right", problems
