"""Measures what is found of text that instructs an agent: `python -m protection.measure [--wrong] [training]`.

Compares the classifier with a short list of rules, on examples that neither was written for. A line of an example file
is a text, or a JSON string where it begins with a quotation mark.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from protection.instructions import CALLS, find_hidden, find_instructions, normalise

EXAMPLES = Path(__file__).with_name("examples")
TARGET = (
    r"(?:instructions?|rules|guidelines|prompt|directives|policy|restrictions|anweisungen|regeln|instrucciones|reglas"
    r"|consignes|règles)"
)
SHOWN = rf"(?:system prompt|{TARGET})"
MODEL = r"(?:ais?|assistants?|language models?|llms?|chatbots?|bots?|agents?|ki|ia)"
RULES = [
    re.compile(pattern)
    for pattern in (
        rf"\b(?:ignor\w+|disregard|forget|override|bypass|vergiss|missachte|oublie|olvida)\b(?:\W+\w+){{0,4}}?\W+{TARGET}\b",
        rf"\b(?:reveal|print|show|repeat|output|zeige|affiche|muestra)\b(?:\W+\w+){{0,4}}?\W+{SHOWN}\b",
        rf"\b(?:note to|attention|dear|if you are an?|instructions for)\W+(?:\w+\W+){{0,2}}{MODEL}\b",
        rf"\b{MODEL}\W+(?:\w+\W+){{0,4}}(?:must|shall|has to|have to)\b",
        r"\byou are (?:now|no longer)\b.*\b(?:restrict|rules|filter|limit|bound|dan\b)",
        r"\b(?:act as|pretend|enter|enable)\b.*\b(?:no|without|unrestricted|jailbreak|developer mode)\b",
        r"\b(?:do not|don't|without) (?:tell|inform|mention)\w*\W+(?:\w+\W+)?user\b",
        r"</?system\b|^\W*system( message)?:",
    )
]


def read_examples(name: str) -> list[str]:
    lines = (EXAMPLES / f"{name}.txt").read_text().splitlines()
    return [json.loads(line) if line.startswith('"') and line.endswith('"') else line for line in lines if line]


def obeys_rules(text: str) -> bool:
    plain = normalise(text)
    return bool(find_hidden(text) or CALLS.search(text) or any(rule.search(plain) for rule in RULES))


def measure(find: Callable[[str], object], attacks: Sequence[str], harmless: Sequence[str]) -> tuple[int, int]:
    """The number of found attacks and of harmless texts that are found too."""
    return sum(bool(find(text)) for text in attacks), sum(bool(find(text)) for text in harmless)


def main(arguments: Sequence[str]) -> None:
    kind = "training" if "training" in arguments else "test"
    attacks, harmless = read_examples(f"{kind}_attacks"), read_examples(f"{kind}_harmless")
    write = sys.stdout.write
    write(f"{len(attacks)} attacks, {len(harmless)} harmless texts ({kind})\n")
    for name, find in (("rules", obeys_rules), ("classifier", find_instructions)):
        found, false = measure(find, attacks, harmless)
        write(f"{name:<10} precision {found / (found + false):.3f}  recall {found / len(attacks):.3f}\n")
    if "--wrong" in arguments:
        for text in attacks:
            write("" if find_instructions(text) else f"missed: {text!r}\n")
        for text in harmless:
            write(f"false: {text!r}\n" if find_instructions(text) else "")


if __name__ == "__main__":
    main(sys.argv[1:])
