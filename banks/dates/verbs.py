"""What the verbs of a language say about the times beside them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Tense = Literal["past", "present", "future"]


@dataclass(frozen=True, slots=True)
class Verbs:
    """`read_tense` says None of a clause without a verb that it knows, and the past of one that is past and future.

    `habit` is found in a clause that tells what is always so ("we always ski in February"), `each_before` and
    `each_after` around a day that is no single one ("every Friday at 5", "on Friday evenings") or is told by another
    word ("today is Friday"). `yearly_before` and `yearly_after` stand around a day of any year ("my birthday is on May
    20", "Christmas is a feast"), and `looks_back` before a time that is over in the present tense as well ("I have
    photos from August") unless that is what `begins` then ("the flat is ours from December"). `looks_ahead` reads what
    stands before and after a time, and whether it is to come in the past tense as well ("was moved to May 20"), and
    `counts_ahead` what a past clause has before and after "in two weeks": whether that is to come ("I was told it
    starts in two weeks") or how long something took.
    """

    read_tense: Callable[[str], Tense | None]
    habit: re.Pattern[str]
    each_before: re.Pattern[str]
    each_after: re.Pattern[str]
    yearly_before: re.Pattern[str]
    yearly_after: re.Pattern[str]
    looks_back: re.Pattern[str]
    begins: re.Pattern[str]
    looks_ahead: Callable[[str, str], bool]
    counts_ahead: Callable[[str, str], bool]
