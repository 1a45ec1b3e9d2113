import re
from collections.abc import Mapping

from banks.dates.fold import fold
from retrieval.query.stop_words import STOP_WORDS

DEFAULT = "en"  # what the models that come with the service read best
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# Kana before Han: Japanese is written in both. One code a script, also where several languages share it.
SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"),
    "zh": re.compile(r"[\u3400-\u9fff\U00020000-\U0002ffff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
}
LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f]")


def find_language(text: str) -> str:
    """A two-letter code: by the script that most letters are of, and in Latin letters by a vote of the stop words.

    A foreign name amid a question does not change its language. Where nothing tells, DEFAULT.
    """
    if text.isascii():
        return vote(text)
    counts = {code: len(pattern.findall(text)) for code, pattern in SCRIPTS.items()}
    if counts["ja"]:
        counts["ja"] += counts["zh"]
    likeliest = max(counts, key=lambda code: counts[code])
    # A Chinese character or a Korean syllable is about two Latin letters' worth of text.
    if counts[likeliest] * 2 <= len(LATIN.findall(text)) or not counts[likeliest]:
        return vote(text)
    return likeliest


def vote(text: str) -> str:
    """Each word is a voice for every language that has it; ties go to the language that is listed first."""
    folded = WORD.findall(fold(text).text)
    voices = {code: sum(word in known for word in folded) for code, known in STOP_WORDS.items()}
    winner = max(voices, key=lambda code: voices[code])
    return winner if voices[winner] else DEFAULT
