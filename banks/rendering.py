"""The rendered text of a memory: a quotation begins with the speaker's name."""

# `render_text` in SQL, for an alias of banks_memoryunit.
RENDERED_TEXT = "CASE WHEN {unit}.speaker <> '' THEN {unit}.speaker || ': ' || {unit}.text ELSE {unit}.text END"
# The text that BM25 and the reranker read.
SEARCHED_TEXT = f"CASE WHEN {{unit}}.search_text <> '' THEN {{unit}}.search_text ELSE {RENDERED_TEXT} END"


def render_text(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text
