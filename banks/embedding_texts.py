"""The texts to embed for chunks, episodes and entities. Of a memory unit it is the rendered text.

A row is embedded when it is stored, and again after an import or an edit. The text depends only on the fields of the
row, so that it is the same each time.
"""


def build_chunk_text(text: str, *, heading: str, context: str = "") -> str:
    """The caller's context and the date, then the chunk. A chunk of one message has no heading, so that it shares its
    vector with the unit of the same words.
    """
    return "\n".join(part for part in (context, heading, text) if part)


def build_episode_text(narrative: str, *, thread: str = "") -> str:
    """The narrative, or the thread's name before there is one."""
    return narrative or thread


def build_entity_text(name: str, summary: str) -> str:
    return f"{name}: {summary}" if summary else name
