"""Where a text can be cut between two letters without breaking what the reader sees as one."""

import unicodedata

JOINER = "\u200d"
LONGEST_LOOK_BACK = 64  # a letter with more marks than this is no letter of any language
MARKS = {"Mn", "Mc", "Me"}
CONJOINING_JAMO = range(0x1160, 0x1200)
SKIN_TONES = range(0x1F3FB, 0x1F400)
TAGS = range(0xE0020, 0xE0080)
REGIONAL_INDICATORS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
LONGEST_ROW_OF_FLAGS = 4096  # characters; bounds the time for a text of nothing else
HIGH_SURROGATES = range(0xD800, 0xDC00)
LOW_SURROGATES = range(0xDC00, 0xE000)


def find_grapheme_cut(text: str, wanted: int) -> int:
    """The last place up to `wanted` that breaks no grapheme, or `wanted` itself where there is none near."""
    near = range(wanted, max(0, wanted - LONGEST_LOOK_BACK), -1)
    return next((position for position in near if is_between_graphemes(text, position)), wanted)


def is_between_graphemes(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if before.isascii() and after.isascii():
        return not (before == "\r" and after == "\n")
    if JOINER in (before, after) or is_extender(after):
        return False
    if ord(before) in HIGH_SURROGATES and ord(after) in LOW_SURROGATES:
        return False
    return not splits_flag(text, position)


def is_extender(character: str) -> bool:
    code = ord(character)
    is_mark = unicodedata.category(character) in MARKS
    return is_mark or code in CONJOINING_JAMO or code in SKIN_TONES or code in TAGS


def splits_flag(text: str, position: int) -> bool:
    """A flag is two regional indicators, so in a row of them every second place is inside one."""
    if text[position] not in REGIONAL_INDICATORS:
        return False
    before = text[max(0, position - LONGEST_ROW_OF_FLAGS) : position]
    return (len(before) - len(before.rstrip(REGIONAL_INDICATORS))) % 2 == 1
