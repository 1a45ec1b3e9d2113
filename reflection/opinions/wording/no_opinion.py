"""What sounds like a judgement and is none: not knowing, not being able to say, the talk about the talk."""

import re

KNOWLEDGE = (
    r"(?:information|evidence|memor(?:y|ies)|facts|data|details?|mention|records?|indication|knowledge|clues?|basis"
    r"|way of knowing|way to (?:know|tell|say|judge))"
)
WHETHER = r"(?:what|which|who|whom|whose|why|when|where|how|if|whether)"
STORE = r"(?:memory|memories|the records?|the context|(?:available|stored|given|known) (?:information|facts|data))"
SAYS = r"(?:say|tell|show|state|mention|hold|contain|reveal|specify|indicate|record|include|cover|know|have)"
# "no evidence against her" and "no data loss" judge something.
NONE_OF_IT = (
    rf"{KNOWLEDGE}\b(?=\W*$|[,.;:]| (?:about|on|of|for|to(?! the contrary)|in|that|which|from|regarding|concerning|yet"
    rf"|here|available|stored|known|is|are|was|were|has|have|at|as|so|or|and|either|{WHETHER})\b)"
)
# "hard to say whether", "can't tell for sure", not "hard to say no", "can't say enough"
OPENLY = (
    rf"(?= (?:{WHETHER}|that|anything|much|more|for (?:sure|certain)|with|from|without|based|yet|so far|either|about"
    r"|one way|at (?:this|the))\b|\W*$|[,;:])"
)
UNDECIDED = r"(?:unclear|unknown|uncertain|undetermined|undecided|open|not (?:\w+ )?(?:clear|known|certain|sure))"
JUDGEMENT = (
    r"(?:opinions?|views?|ideas?|preferences?|thoughts?|stance|position|leanings?|judge?ments?|convictions?"
    r"|feelings?(?! for\b))"
)
# "I don't know a better one" praises, "I don't know whether it is better" does not.
ON = rf"(?: (?!(?:{WHETHER}|about)\b)[^\s.]+){{0,8}}? "
PRAISED = (
    r"(?! (?:of )?(?:an?|any(?! (?:more\b|better\W*$))|anyone|anybody|many|another|ever|anything(?! (?:more|other)\b))"
    rf"(?:{ON}(?:better|worse)\b|{ON}(?:more|less) (?!than\b|that\b|about\b|of\b)\w+"
    rf"|{ON}(?!other|rather)\w{{2,}}er\b{ON}than\b|{ON}(?!other|rather)\w{{2,}}er than\b))"
)
# "I need more facts before judging", not "I need more details than Bob gives"
FIRST = rf"\b(?=\W*$|[,.;:]| (?:about|on|of|for|to|before|regarding|concerning|first|yet|here|{WHETHER})\b)"
ADVERB = r"(?:really |honestly |still |just |simply |yet |actually |even |quite |exactly )?"
QUITE = r"(?:(?:really|entirely|quite|so|yet|fully|completely|totally|exactly|too|very|absolutely|at all|all that) )?"
I_AM = r"\b(?:I'm|I am|we're|we are)"
DO_NOT = rf"\bI {ADVERB}(?:don't|do not|didn't|did not) {ADVERB}"
NO_OPINION = re.compile(
    rf"{DO_NOT}(?:know|recall|remember)\b{PRAISED}"
    rf"|{DO_NOT}have (?:(?:an?|any|enough|much|sufficient|strong|firm|clear|particular)(?: \w+){{0,2}}? )?"
    rf"(?:{JUDGEMENT}|to (?:go on|judge|say|tell)|{NONE_OF_IT})\b"
    rf"|{DO_NOT}feel (?:{QUITE}(?:sure|certain)|(?:very |too |particularly )?strongly)\b"
    rf"|{DO_NOT}(?:care|mind)(?: \w+)? (?:either way|one way)\b"
    rf"|\bI (?:have|hold|formed?|lack|find|found|see) (?:no|any) (?:\w+ ){{0,2}}?(?:{JUDGEMENT}|{NONE_OF_IT})\b"
    rf"|\bI lack (?:the )?(?:\w+ )?{KNOWLEDGE}\b"
    rf"|\bI (?:haven't|have not|have yet to) {ADVERB}(?:decided?\b|(?:form|develop|reach|come|ma[dk]e)\w*\b"
    rf"(?: \w+){{0,3}}? (?:{JUDGEMENT}|mind|conclusions?)\b)"
    r"|\bI (?:wouldn't|would not) (?:really )?know\b"
    r"|(?:\bI (?:can't|cannot|can not|could not|couldn't)"
    rf"|{I_AM} (?:\w+ )?(?:unable|not able|not in a position|in no position) to) (?:really |yet )?"
    rf"(?:(?:say|tell){OPENLY}"
    r"|(?:judge|know|determine|answer|form|comment|assess|conclude|decide|be sure|be certain|make up my mind)\b)"
    rf"|\bI(?:'d| would)? {ADVERB}need (?:more|further|additional|better) (?:\w+ )?{KNOWLEDGE}{FIRST}"
    r"|\b(?:I'd|I would) (?:really )?(?:rather|prefer) not (?:to )?"
    rf"(?:(?:say|tell){OPENLY}|(?:judge|comment|speculate|decide|take sides)\b)"
    r"|\bthe jury(?:'s| is) (?:still )?out\b(?! of\b)"
    rf"|{I_AM} (?:not|no longer) {QUITE}(?:sure|certain)\b(?!-)"
    rf"|{I_AM} (?:unsure|uncertain|undecided|unaware|not aware|on the fence|neither for nor against)\b"
    rf"|(?:{I_AM}|\b(?:I|we) (?:feel|stay|remain)) {QUITE}(?:neutral|indifferent)\b"
    r"|\bI (?:\w+ )?neither (?:(\w+) nor (?:dis|mis)\1|(?:love|like) nor (?:hate|dislike|loathe))\b"
    r"|\b(?:not|no|in)[ -]?(?:have )?(?:enough|sufficient|adequate) "
    rf"(?:\w+ )?{KNOWLEDGE}\b|\binsufficient (?:\w+ )?{KNOWLEDGE}\b"
    rf"|\b(?:there is|there's|there are|there was|there were) (?:no|not any) (?:\w+ )?{NONE_OF_IT}"
    r"|\b(?:there is|there's|there was) nothing (?:known|recorded|stored|said|in memory|about|on)\b"
    rf"|\bno (?:\w+ )?{KNOWLEDGE}\b.*\b(?:is|are|was|were|has been|have been)\b.*"
    r"\b(?:available|known|stored|found|given|provided|recorded|there|held|mentioned|present)\b"
    rf"|\b{STORE}\b[^.]{{0,60}}?\b(?:does not|doesn't|do not|don't|did not|didn't|fails? to|can't|cannot) "
    rf"(?:\w+ )?{SAYS}\b"
    rf"|\b{STORE} (?:holds?|has|have|contains?|gives?|offers?|shows?) (?:no|nothing)\b"
    rf"|\b(?:nothing|not) (?:is |has been |was )?(?:known|recorded|stored|remembered|stated|said|mentioned)\b"
    rf"(?: (?:about|of|on|{WHETHER})\b|\W*$)"
    r"|(?:^|\b(?:it|that|this)(?:'s| is| was) (?:still |as yet )?|\b(?:remains?|stays?) (?:still )?)"
    rf"{UNDECIDED}(?: (?:to|for) (?:me|us))? {WHETHER}\b"
    r"|\b(?:is|are|remains?|stays?) (?:still )?(?:unknown|unclear|undetermined)(?: (?:to|for) (?:me|us))?\W*$"
    r"|\b(?:hard|impossible|difficult|too early|too soon) (?:for me )?to "
    rf"(?:(?:say|tell){OPENLY}|(?:judge|know|decide)\b)"
    r"|(?:^|\bthere is )no (?:clear |strong |firm )?opinion\b"
    r"|\b(?:can't|cannot|could not|couldn't) be "
    r"(?:determined|known|answered|judged|assessed|said(?! (?:\w+ )?enough))\b"
    r"|\bas an? (?:ai|language model|assistant)(?: \w+){0,2},? I\b|\bI,? as an? (?:ai|language model|assistant)\b",
    re.IGNORECASE,
)
# The plain forms of it in the languages that callers use most. Where one is missed, a person can retire it.
ELSEWHERE = re.compile(
    r"\bich wei(?:ß|ss) (?:es |das )?nicht\b|\bich bin(?: \w+){0,3}? (?:nicht (?:\w+ )?sicher|unsicher|unschlüssig)\b"
    r"|(?:^|\bich habe |\bhabe ich )(?:leider )?keine (?:\w+ )?(?:ahnung|meinung|informationen|angaben)\b"
    r"|\b(?:es gibt|gibt es|liegen(?: mir)?) keine (?:\w+ )?(?:informationen|angaben)\b"
    r"|\b(?:unklar|unbekannt|ungewiss), (?:ob|wie|was|wer|wann|wo|warum)\b"
    r"|\bje ne suis pas (?:\w+ )?(?:s[uû]re?|certaine?)\b|\bno estoy (?:\w+ )?segur[oa]\b"
    r"|\bnon sono (?:\w+ )?sicur[oa]\b|\bnão (?:tenho (?:a )?certeza|estou (?:\w+ )?cert[oa])\b"
    r"|\bik ben (?:\w+ )?niet (?:\w+ )?zeker\b"
    r"|\bje ne sais pas\b|\bj'ignore\b|\bje n'ai (?:pas|aucune?) (?:d')?\s?(?:avis|opinion|idée|informations?)\b"
    r"|\baucune information\b|\bon ne sait pas\b"
    r"|\bno (?:lo )?sé\b|\bno tengo (?:ni )?(?:idea|opinión|información)\b|\bno hay información\b|\bno se sabe\b"
    r"|\bnon (?:lo )?so\b|\bnon ho (?:idea|opinioni|informazioni)\b|\bnon si sa\b"
    r"|\bnão sei\b|\bnão tenho (?:ideia|opinião|informaç)|\bnão há informaç"
    r"|\bik weet (?:het )?niet\b|(?:^|\bik heb |\ber is )geen (?:idee|mening|informatie)\b"
    r"|(?:^|[我,\uff0c\u3002])[也还還真]?不(?:知道|清楚|确定|確定)|沒有意見|没有意见|わから(?:ない|ません)|分から(?:ない|ません)|知りません",
    re.IGNORECASE,
)


def is_no_opinion(text: str) -> bool:
    own = text.replace("\u2019", "'").strip()
    is_wordless = not any(character.isalpha() for character in own)
    return is_wordless or own.endswith(("?", "\uff1f")) or bool(NO_OPINION.search(own) or ELSEWHERE.search(own))
