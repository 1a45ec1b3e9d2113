"""The form of bank ids. An API key may name banks that don't exist yet."""

import re

WORDS = "1 to 200 characters without slashes, control or invisible characters, and without spaces at its ends"
BANK_ID = re.compile(r"[^/\x00-\x1f\x7f\ud800-\udfff]{1,200}")
# Characters that Unicode does not call unprintable, and that show nothing: fillers, blanks and variation selectors.
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def is_bank_id(value: str) -> bool:
    """Spaces at the ends are refused: clients often lose them, and two banks would differ by nothing else."""
    return BANK_ID.fullmatch(value) is not None and value == value.strip() and value not in {".", ".."}


def is_new_bank_id(value: str) -> bool:
    """Invisible characters are refused too: two banks would look alike. Older banks may have them."""
    return is_bank_id(value) and value.isprintable() and INVISIBLE.search(value) is None
