"""Texts with a known structure and meaningless words."""

import random

WORDS = (
    "alder",
    "birch",
    "cedar",
    "walks",
    "runs",
    "stone",
    "river",
    "of",
    "the",
    "and",
    "to",
    "in",
    "mountain",
    "lake",
)


def make_sentence(dice: random.Random) -> str:
    return " ".join(dice.choices(WORDS, k=dice.randint(5, 18))).capitalize() + "."


def make_paragraph(dice: random.Random, *, sentences: int = 5) -> str:
    return " ".join(make_sentence(dice) for _ in range(sentences))


def make_paragraphs(count: int, *, seed: int = 1) -> list[str]:
    dice = random.Random(seed)  # noqa: S311 - the same text every time
    return [make_paragraph(dice, sentences=dice.randint(2, 7)) for _ in range(count)]
