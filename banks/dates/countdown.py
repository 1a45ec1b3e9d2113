"""Questions that count the days to one that is to come: "how many days until Christmas", "wie lange noch bis Mai"."""

import re

_ATE = "ate "  # Portuguese for "until", no English verb
_UNTIL = ("until ", "till ", "up until ", "before ", "bis ", "jusqu'", "hasta ", "fino ", "a ", _ATE, "tot ")
# A group is a word that leads to the day and is no part of the time, while one for "until" is.
_COUNTS = re.compile(
    r"\bhow (?:long|much (?:longer|time)|many (?:more )?(?:days|weeks|months|nights|sleeps|hours))"
    r"(?: (?:is it|is there|are there|is left|are left|left|remain|to go|do i have|do we have|more|still))*"
    r"(?P<english> to)? $"
    r"|\bwie (?:lange|viele (?:tage|wochen|monate|nachte))(?: (?:noch|sind es|ist es|dauert es|bleiben))* $"
    r"|\bcombien de (?:jours|semaines|mois|temps)(?: (?:reste-t-il|il reste|y a-t-il|encore))* $"
    r"|\bcuant[oa]s (?:dias|semanas|meses)(?: (?:faltan|quedan|hay))*(?P<spanish> para(?: la| el)?)? $"
    r"|\bquant[ie] (?:giorni|settimane|mesi)(?: (?:mancano|restano|ci sono))*(?P<italian> a)? $"
    r"|\bquant[oa]s (?:dias|semanas|meses)(?: (?:faltam|restam|ha))*(?P<portuguese> para)? $"
    r"|\bhoe(?: lang|veel (?:dagen|weken|maanden))(?: (?:nog|zijn er|is het|duurt het))* $"
)
_AROUND = 60  # characters before a time in which they stand


def is_counted_to(folded: str, start: int, *, is_past: bool) -> bool:
    """Whether a time that starts there is the end of a count; where a verb is past, it was one."""
    if is_past and not folded.startswith(_ATE, start):
        return False
    found = _COUNTS.search(folded[max(0, start - _AROUND) : start])
    return found is not None and (found.lastgroup is not None or folded.startswith(_UNTIL, start))
