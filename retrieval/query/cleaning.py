import unicodedata

from retrieval.query.errors import QueryWithoutWords

# The embedder reads 512 tokens, which 2,000 characters of English fill. The question of a longer text stands at its
# beginning or at its end, so both are kept.
MAX_CHARACTERS = 2_000
# The cross-encoder reads 512 tokens of query and passage together: a query that fills them leaves nothing to judge.
MAX_CHARACTERS_TO_RERANK = 600
GAP = " … "


def clean_query(text: str) -> str:
    """The query on one line, without what neither models nor Postgres take: null bytes, lone surrogates.

    It has at most MAX_CHARACTERS and at least one letter or digit, or QueryWithoutWords is raised.
    """
    well_formed = text.encode("utf-8", "ignore").decode().replace("\0", " ")
    cleaned = shorten(unicodedata.normalize("NFC", " ".join(well_formed.split())), MAX_CHARACTERS)
    if not any(character.isalnum() for character in cleaned):
        raise QueryWithoutWords
    return cleaned


def shorten(text: str, characters: int) -> str:
    """The beginning and the end, half each, cut between words where there are any."""
    if len(text) <= characters:
        return text
    half = (characters - len(GAP)) // 2
    beginning, end = text[:half], text[-half:]
    return f"{drop_last_part(beginning)}{GAP}{drop_first_part(end)}"


def drop_last_part(text: str) -> str:
    return text.rpartition(" ")[0] or text


def drop_first_part(text: str) -> str:
    return text.partition(" ")[2] or text
