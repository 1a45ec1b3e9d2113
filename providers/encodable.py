def encodable(text: str) -> str:
    """The text with lone surrogates replaced: JSON can carry them, UTF-8 and the tokenizers can't."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
