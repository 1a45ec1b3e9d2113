"""What sounds like a judgement and is none: not knowing, not being able to say, the talk about the talk."""

import re

NO_OPINION = re.compile(
    r"\bI (?:really |honestly |still |just )?(?:don't|do not|didn't|did not) (?:really |yet )?"
    r"(?:know|have (?:an?|any|enough|a strong|a clear|much|sufficient)\b)"
    r"|\bI (?:have|hold|formed?) no (?:\w+ )?(?:opinions?|views?|idea|information|memor(?:y|ies)|evidence|preference)\b"
    r"|\bI (?:can't|cannot|can not|could not|couldn't|am unable to|am not able to) "
    r"(?:say|tell|judge|know|determine|answer|form|comment|assess|conclude|be sure)\b"
    r"|\bI(?:'m| am) not (?:sure|certain) (?:what|which|who|how|if|whether|about)\b"
    r"|\bI(?:'m| am) (?:unsure|uncertain|undecided)\b"
    r"|\b(?:not|no|in)[ -]?(?:have )?(?:enough|sufficient|adequate) "
    r"(?:\w+ )?(?:information|evidence|data|facts|context|details?)\b"
    r"|\binsufficient (?:\w+ )?(?:information|evidence|data|facts|context)\b"
    r"|\b(?:there is|there's|there are) no (?:\w+ )?"
    r"(?:information|evidence|memor(?:y|ies)|facts|data|details?|mention)\b"
    r"|\b(?:unclear|unknown) (?:what|which|who|how|if|whether)\b"
    r"|\b(?:hard|impossible|difficult|too early) to (?:say|tell|judge|know)\b"
    r"|\b(?:no|without an?) (?:clear |strong |firm )?opinion\b"
    r"|\bas an? (?:ai|language model|assistant)\b",
    re.IGNORECASE,
)


def is_no_opinion(text: str) -> bool:
    own = text.replace("\u2019", "'").strip()
    return not any(character.isalpha() for character in own) or own.endswith("?") or bool(NO_OPINION.search(own))
