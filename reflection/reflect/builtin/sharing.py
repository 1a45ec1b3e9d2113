"""Which of the words of a question a piece of memory has: where nothing read the two together, they tell whether a
vector that is near is near for the matter, or for the one whom both name.
"""

from dataclasses import dataclass
from functools import lru_cache

from banks.text_index.lexemes import EXACT, extract_lexemes
from reflection.reflect.builtin.meant import REQUEST
from reflection.reflect.builtin.others_doings import PAST
from retrieval.query.names import WORD, is_capitalised, is_stop_word, list_phrases

# How something is asked for, or of when; not what.
OF_ASKING = frozenset(
    extract_lexemes(
        "name names called kind sort type time times day days week month year ago long still now ever currently moment"
        " today last next tell know remember mention said get got like go went"
    )
)
PRESENT = {extract_lexemes(past)[0]: extract_lexemes(verb)[0] for verb, past in PAST.items() if extract_lexemes(past)}


@dataclass(frozen=True)
class Matter:
    """Whom or which a question names, and the words beside that say what it wants to know of them."""

    names: frozenset[str]
    words: frozenset[str]

    def measure(self, text: str) -> float:
        """The share of the words that the text has: none where it lacks a name."""
        found = read_stems(text)
        if not self.names <= found:
            return 0.0
        if not self.words:
            return 1.0 if self.names else 0.0
        return len(self.words & found) / len(self.words)


@lru_cache(maxsize=64)
def read_matter(question: str) -> Matter:
    capitalised = [phrase for phrase in list_phrases(REQUEST.sub("", question)) if is_capitalised(phrase)]
    names = read_stems(" ".join(capitalised))
    words = " ".join(word for word in WORD.findall(question) if not is_stop_word(word))
    return Matter(names, read_stems(words) - names - OF_ASKING)


def read_stems(text: str) -> frozenset[str]:
    """As the text index has them, without the marks of names, and of irregular verbs the present."""
    found = (lexeme for lexeme in extract_lexemes(text) if not lexeme.startswith(EXACT))
    return frozenset(PRESENT.get(lexeme, lexeme) for lexeme in found)
