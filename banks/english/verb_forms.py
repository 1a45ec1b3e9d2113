IRREGULAR = {
    "am": "is",
    "'m": "is",
    "m": "is",
    "are": "is",
    "'re": "is",
    "re": "is",
    "were": "was",
    "have": "has",
    "'ve": "has",
    "ve": "has",
    "do": "does",
    "go": "goes",
    "'ll": "will",
}
SIBILANT_ENDINGS = ("s", "x", "z", "ch", "sh", "o")


def third_person(verb: str) -> str:
    """The simple present after "she", from the form after "I" or "you"."""
    lower = verb.lower().replace("\u2019", "'")
    if lower in IRREGULAR:
        return IRREGULAR[lower]
    if lower.endswith("y") and lower[-2:-1] not in {"a", "e", "i", "o", "u"}:
        return f"{verb[:-1]}ies"
    return f"{verb}es" if lower.endswith(SIBILANT_ENDINGS) else f"{verb}s"
