"""What the id of a bank may be. An API key names banks that need not be there yet."""

import re

WORDS = "1 to 200 characters without slashes or control characters, and without spaces at its ends"
BANK_ID = re.compile(r"[^/\x00-\x1f\x7f\ud800-\udfff]{1,200}")


def is_bank_id(value: str) -> bool:
    """Spaces at its ends are lost on the way as often as not, and two banks would be told by nothing else."""
    return BANK_ID.fullmatch(value) is not None and value == value.strip() and value not in {".", ".."}
