"""What a model wants before a query, where the model's own files do not say it."""

BGE_ENGLISH = "Represent this sentence for searching relevant passages: "

QUERY_PREFIXES = {
    "BAAI/bge-small-en-v1.5": BGE_ENGLISH,
    "BAAI/bge-base-en-v1.5": BGE_ENGLISH,
    "BAAI/bge-large-en-v1.5": BGE_ENGLISH,
}


def find_query_prefix(model: str) -> str | None:
    return QUERY_PREFIXES.get(model)
