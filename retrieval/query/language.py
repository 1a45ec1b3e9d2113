import re
from collections.abc import Mapping, Sequence

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
SAME_SCRIPT: Mapping[str, tuple[str, ...]] = {"zh": ("ja",), "ru": ("uk", "bg")}
TIME_VOICES = 3  # so many stop words are as sure as a time word: "What did Ana say about mañana?" is English
LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f]")


def find_language(text: str, *, time_languages: Sequence[str] = ()) -> str:
    """A two-letter code: by the script that most letters are of, and in Latin letters by a vote of the stop words.

    `time_languages` know the words of the time that the text names, which tell more than a stop word. A foreign name
    amid a question does not change its language. Where nothing tells, DEFAULT.
    """
    if text.isascii():
        return vote(text, time_languages)
    counts = {code: len(pattern.findall(text)) for code, pattern in SCRIPTS.items()}
    if counts["ja"]:
        counts["ja"] += counts["zh"]
    likeliest = max(counts, key=lambda code: counts[code])
    # A Chinese character or a Korean syllable is about two Latin letters' worth of text.
    if counts[likeliest] * 2 <= len(LATIN.findall(text)) or not counts[likeliest]:
        return vote(text, time_languages)
    return next((code for code in time_languages if code in SAME_SCRIPT.get(likeliest, ())), likeliest)


def vote(text: str, time_languages: Sequence[str] = ()) -> str:
    """Each word is a voice for every language that has it; ties go to the language that is listed first."""
    folded = WORD.findall(fold(text).text)
    voices = {code: sum(word in known for word in folded) for code, known in STOP_WORDS.items()}
    winner = max(voices, key=lambda code: voices[code])
    of_time = max(time_languages, key=lambda code: voices.get(code, 0), default=None)
    if of_time is not None and voices[winner] < voices.get(of_time, 0) + TIME_VOICES:
        return of_time
    return winner if voices[winner] else DEFAULT
