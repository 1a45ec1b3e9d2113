"""The tense of a German clause. The words are folded: no umlauts, no capitals."""

import re

from timewords.english.verbs import Tense, Verbs

# English and German share "was", "die" and "am"; these words are only German.
_GERMAN = re.compile(
    r"\b(?:ich|du|wir|ihr|er|mich|mir|dich|dir|uns|der|das|den|dem|und|nicht|mit|nach|wer|wie|wo|wann|zum|zur|ist|sind"
    r"|habe|hat|haben|ein|eine|einen|einem|kein|keine|auf|bei|fur|von|vom|mein|meine|unser|unsere|wird|geht)\b"
    r"|\bam \d{1,2}\. "
)
_ENGLISH = re.compile(r"\b(?:the|i|you|we|my|our|what|who|is|are|of|to)\b")
_FUTURE = re.compile(
    r"\b(?:werde|wirst|wird|werden|werdet|morgen|ubermorgen|mochte|mochten|mochtest|plane|planst|planen|hoffe|hoffen"
    r"|will|willst|wollen|soll|sollen|lass uns)\b"
    r"|\b(?:ist|sind)\b.{0,60}\b(?:geplant|vorgesehen|angesetzt|gebucht|fallig)\b"
)
_PAST = re.compile(
    r"\b(?:war|warst|waren|wart|hatte|hattest|hatten|wurde|wurden|ging|gingen|kam|kamen|sah|sahen|sagte|sagten|machte"
    r"|machten|gab|gaben|fand|fanden|traf|trafen|fuhr|fuhren|flog|flogen|aß|aßen|blieb|blieben|bekam|bekamen|sprach|schrieb"
    r"|las|lasen|trank|half|lief|nahm|nahmen|stand|lag|saß|dachte|brachte|wusste|wollte|wollten|kaufte|kauften|spielte"
    r"|wohnte|lebte|erzahlte|besuchte|feierte|feierten|kochte|geschah|passierte|begann|starb|gestern|vorgestern)\b"
)
_PERFECT = re.compile(r"\b(?:habe|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b")
_PARTICIPLE = re.compile(
    r"\b\w{0,20}ge\w{2,20}(?:t|en)\b|\b(?:be|ver|er|ent|zer|uber|unter)\w{3,}(?:t|en)\b|\b\w{3,}iert\b"
)
# The preterite of weak verbs ends in -te. These words end so in the present.
_IN_TE = (
    "arbeite|warte|heirate|miete|halte|erhalte|trete|reite|biete|rate|leite|starte|heute|bitte|letzte|konnte|sollte"
)
_IN_TEN = "arbeiten|warten|heiraten|mieten|halten|erhalten|treten|reiten|bieten|raten|leiten|starten|konnten|sollten"
_PRETERITE = rf"(?!(?:{_IN_TE}|{_IN_TEN})\b)\w{{2,}}te"
_WEAK = re.compile(
    rf"\b{_PRETERITE} (?:ich|er|sie|es|man)\b|\b(?:ich|er|man) {_PRETERITE}\b"
    rf"|\b{_PRETERITE}n wir\b|\bwir {_PRETERITE}n\b"
)
_PRESENT = re.compile(
    r"\b(?:bin|bist|ist|sind|seid|habe|hast|hat|haben|habt|kann|kannst|konnen|muss|musst|mussen|darf|durfen|macht|kommt"
    r"|geht|fahrt|fliegt|beginnt|startet|endet|findet|gibt|trifft|bleibt|arbeitet|spielt|offnet|schließt|zieht|kommen|treffen"
    r"|fliegen|fahren|ziehen|feiert|heiratet|besucht|gehort|lauft|dauert|singt|tritt|gilt|wechselt|eroffnet)\b"
    r"|\b\w{2,}e ich\b|\bich \w{2,}e\b|\b\w{2,}en wir\b|\bwir \w{2,}en\b|\b\w{2,}st du\b|\bdu \w{2,}st\b"
)
_HABIT = re.compile(
    r"\b(?:immer|meistens|oft|nie|manchmal|normalerweise|gewohnlich|ublicherweise|jede[ns]? \w+|lieblings\w+)\b"
)
_EACH_BEFORE = re.compile(r"\bjede[nrs]? $|\bheute ist $")
_EACH_AFTER = re.compile(r"(?!)")
_YEARLY_BEFORE = re.compile(
    r"\b(?:geburtstag|hochzeitstag|jahrestag|namenstag) (?:ist|habe ich) (?:immer )?(?:am |im )?$"
)
_YEARLY_AFTER = re.compile(r" (?:ist|sind) (?:ein|eine|der|die|das|mein|meine|unser|unsere|sein|ihr)\b")
_LOOKS_BACK = re.compile(r"\bseit(?: dem)? $")
_FROM = re.compile(r"\b(?:vom|von) $")
_PLANNED = "gebucht|reserviert|geplant|vereinbart|ausgemacht|angesetzt|verschoben|verlegt|vertagt|angemeldet"
_LOOKS_AHEAD = re.compile(rf"\bauf den $|\b(?:{_PLANNED})(?: \w+){{0,4}} (?:fur|auf)(?: den| die| das)? $")
_FOR_THEN = re.compile(r"\b(?:fur|auf|zum|bis)(?: den| die| das)? $")
_THEN_PLANNED = re.compile(rf" (?:\w+ ){{0,4}}(?:{_PLANNED})\b")
_ARRANGED = re.compile(
    r"\b(?:gebucht|vereinbart|ausgemacht|verabredet|angemeldet|reserviert|geplant|sollte|sollten|einen termin)\b"
)


def is_german(sentence: str) -> bool:
    return _GERMAN.search(sentence) is not None and _ENGLISH.search(sentence) is None


def _read_tense(clause: str) -> Tense | None:
    """The participle of a perfect may stand anywhere in the clause."""
    rest, ahead = _FUTURE.subn(" ", clause)
    if _PAST.search(rest) or _WEAK.search(rest) or (_PERFECT.search(rest) and _PARTICIPLE.search(rest)):
        return "past"
    if ahead:
        return "future"
    return "present" if _PRESENT.search(rest) else None


def _looks_ahead(before: str, after: str) -> bool:
    if _LOOKS_AHEAD.search(before):
        return True
    return _FOR_THEN.search(before) is not None and _THEN_PLANNED.match(after) is not None


GERMAN_VERBS = Verbs(
    read_tense=_read_tense,
    habit=_HABIT,
    each_before=_EACH_BEFORE,
    each_after=_EACH_AFTER,
    yearly_before=_YEARLY_BEFORE,
    yearly_after=_YEARLY_AFTER,
    looks_back=_LOOKS_BACK,
    is_from=_FROM,
    looks_ahead=_looks_ahead,
    counts_ahead=lambda before, after: any(map(_ARRANGED.search, (before, after))),
)
