"""The form of bank ids. An API key may name banks that don't exist yet."""

import re

WORDS = "1 to 200 characters without slashes or control characters, and without spaces at its ends"
BANK_ID = re.compile(r"[^/\x00-\x1f\x7f\ud800-\udfff]{1,200}")


def is_bank_id(value: str) -> bool:
    """Spaces at the ends are refused: clients often lose them, and two banks would differ by nothing else."""
    return BANK_ID.fullmatch(value) is not None and value == value.strip() and value not in {".", ".."}
