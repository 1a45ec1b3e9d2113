"""What the agent feels for something, told with the one word that the lexicon has for it.

"I am not a fan of jazz" and "Ich mag Jazz nicht" become "I don't love jazz", so that they can be held against "I love
jazz". Only for that: it is never shown, and nothing is the same because of it.
"""

import re
from functools import lru_cache

LOVE, LEAVE, HATE = "I love ", "I don't love ", "I hate "
STRESS = r"(?:(?:really|truly|absolutely|quite|also|still|just|simply|genuinely|definitely|honestly|particularly) )*"
DENIED = r"(?:(?:don't|do not|no longer|never) )"
END = r"\W*$"
WHAT = r"(?P<what>[^.,;:!?\n]{1,120}?)"
ENGLISH = tuple(
    (re.compile(pattern, re.IGNORECASE), told)
    for pattern, told in (
        (rf"\bI {STRESS}{DENIED}{STRESS}(?:like|care for) ", LEAVE),
        (rf"\bI {STRESS}(?:do )?(?:like|adore|cherish) ", LOVE),
        (rf"\bI(?:'m| am) {STRESS}(?:not|no longer) {STRESS}(?:an? (?:\w+ )?fan of|fond of|keen on|into) ", LEAVE),
        (rf"\bI(?:'m| am) {STRESS}(?:an? (?:\w+ )?fan of|fond of|keen on) ", LOVE),
        (rf"\bI {STRESS}(?:can't|cannot|can not) (?:stand|bear|abide|stomach) ", HATE),
        (rf"\bI {STRESS}(?:detest|despise|loathe|abhor) ", HATE),
    )
)
# Each is a whole sentence: of a longer one it is not known what the rest does to it.
ELSEWHERE = tuple(
    (re.compile(rf"^{pattern}{END}", re.IGNORECASE), told)
    for pattern, told in (
        # German
        (rf"ich (?:mag|liebe) kein\w* {WHAT}", LEAVE),
        (rf"ich (?:mag|liebe) {WHAT} (?:gar |\u00fcberhaupt )?nicht(?: mehr)?", LEAVE),
        (rf"ich kann {WHAT} (?:\w+ )?nicht (?:leiden|ausstehen|ertragen)", HATE),
        (rf"ich (?:mag|liebe) (?:sehr )?{WHAT}(?: sehr)?", LOVE),
        (rf"ich (?:hasse|verabscheue) {WHAT}", HATE),
        (rf"ich finde {WHAT} (?:sehr |wirklich )?(?:gut|toll|gro\u00dfartig|super|klasse)", LOVE),
        (rf"ich finde {WHAT} (?:sehr |wirklich )?(?:schlecht|furchtbar|schrecklich|doof|bl\u00f6d)", HATE),
        # French
        (rf"je n'aime (?:pas|plus)(?: du tout)? {WHAT}", LEAVE),
        (rf"j'(?:aime|adore) (?:bien |beaucoup )?{WHAT}", LOVE),
        (rf"je (?:d\u00e9teste|hais) {WHAT}", HATE),
        # Spanish
        (rf"(?:a m\u00ed )?no me (?:gustan?|encantan?) (?:nada )?{WHAT}", LEAVE),
        (rf"(?:a m\u00ed )?me (?:gustan?|encantan?) (?:mucho )?{WHAT}", LOVE),
        # Italian
        (rf"(?:a me )?non mi (?:piace|piacciono) (?:pi\u00f9 )?{WHAT}", LEAVE),
        (rf"(?:a me )?mi (?:piace|piacciono) (?:molto )?{WHAT}", LOVE),
        # Portuguese
        (rf"(?:eu )?(?:n\u00e3o gosto|n\u00e3o gosto mais) d(?:e|o|a|os|as) {WHAT}", LEAVE),
        (rf"(?:eu )?gosto (?:muito )?d(?:e|o|a|os|as) {WHAT}", LOVE),
        # Spanish, Italian and Portuguese
        (rf"(?:yo |io |eu )?(?:amo|adoro) {WHAT}", LOVE),
        (rf"(?:yo |io |eu )?(?:odio|odeio|detesto) {WHAT}", HATE),
        # Dutch
        (rf"ik (?:hou|houd) niet(?: meer)? van {WHAT}", LEAVE),
        (rf"ik (?:hou|houd) (?:echt |veel )?van {WHAT}", LOVE),
        (rf"ik (?:haat|verafschuw) {WHAT}", HATE),
    )
)
TRAILING = re.compile(
    r",? (?:(?:very|so) much|a (?:lot|great deal)|deeply|with a passion|with all my heart|to bits)(?=\W*$)",
    re.IGNORECASE,
)


@lru_cache(maxsize=2_000)  # an opinion is held against each near it
def tell_feeling(text: str) -> str:
    """The text itself where it tells none that is known here."""
    own = TRAILING.sub("", text.replace("\u2019", "'").strip())
    for pattern, told in ENGLISH:
        if pattern.search(own):
            return pattern.sub(told, own, count=1)
    return tell_foreign(own)


def tell_foreign(own: str) -> str:
    for pattern, told in ELSEWHERE:
        if found := pattern.match(own):
            return f"{told}{found['what']}"
    return own
