"""A question how many there are, as the question which they are: a memory of one of them names no number."""

import re

WHICH = {
    "how many": "which",
    "how much": "what",
    "wie viele": "welche",
    "combien de": "quels",
    "combien d'": "quels ",
    "cuántos": "qué",
    "cuántas": "qué",
    "quantos": "quais",
    "quantas": "quais",
    "quanti": "quali",
    "quante": "quali",
    "hoeveel": "welke",
}
HOW_MANY = re.compile(rf"\b(?:{'|'.join(map(re.escape, WHICH))})", re.IGNORECASE)


def ask_which(question: str) -> str:
    """Unchanged where it asks in other words. "How many times" stays: of these there is nothing to name."""
    found = HOW_MANY.search(question)
    if found is None or question[found.end() :].lstrip().casefold().startswith("times"):
        return question
    which = WHICH[found[0].casefold()]
    return (
        f"{question[: found.start()]}{which.capitalize() if found[0][0].isupper() else which}{question[found.end() :]}"
    )
