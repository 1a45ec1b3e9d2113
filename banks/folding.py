"""One spelling for each letter. Case is kept, because it distinguishes names from other words."""

import re
import unicodedata

# Letters that Unicode does not take apart into a base letter and a mark.
UNDIVIDED = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i", "ħ": "h"}
)
# Only these marks are accents: in Indic scripts a mark is a vowel, in kana it makes another consonant.
ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"))
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011", "-"))
_INVISIBLE = str.maketrans(dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def fold_characters(text: str) -> str:
    """One spelling for each letter: no accents, no wide forms, plain apostrophes and hyphens."""
    if text.isascii():
        return text.replace("`", "'")
    plain = unicodedata.normalize("NFKC", text.translate(_INVISIBLE).translate(_APOSTROPHES))
    unmarked = ACCENTS.sub("", unicodedata.normalize("NFD", plain.translate(_HYPHENS)))
    return unicodedata.normalize("NFC", unmarked)


def fold_case(word: str) -> str:
    lower = word.casefold()
    return lower if lower.isascii() else lower.translate(UNDIVIDED)
