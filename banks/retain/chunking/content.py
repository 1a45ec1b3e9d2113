import hashlib
import unicodedata


def hash_chunk(text: str) -> str:
    """What decides whether a chunk is extracted again: another form of the same characters or blanks does not."""
    normalised = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(normalised.encode("utf-8", "surrogatepass")).hexdigest()
