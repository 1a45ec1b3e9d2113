import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from uuid import UUID

DIGEST_BYTES = 16
MOST_PAIRS = 100_000  # some 150 bytes each: 15 MB


class PairCache:
    """Scores of query and passage, by content, for the whole process. Thread-safe; the least recently used go first.

    It holds digests and numbers, no text. The digests are keyed with a secret of the process, and the tenant is part
    of each: nobody can find out by asking, also not by how long it takes, what another tenant has asked.
    """

    def __init__(self, *, most_pairs: int = MOST_PAIRS) -> None:
        self._most_pairs = most_pairs
        self._scores: OrderedDict[bytes, float] = OrderedDict()
        self._lock = Lock()
        self._secret = secrets.token_bytes(DIGEST_BYTES)

    def __len__(self) -> int:
        return len(self._scores)

    def build_keys(self, tenant_id: UUID, model: str, query: str, passages: Iterable[str]) -> list[bytes]:
        """`model` names whatever else the score hangs on too, such as instructions."""
        asked = hashlib.blake2b(key=self._secret, digest_size=DIGEST_BYTES)
        for part in (str(tenant_id), model, query):
            asked.update(encode(part))
        return [build_key(asked, passage) for passage in passages]

    def find(self, keys: Iterable[bytes]) -> list[float | None]:
        with self._lock:
            return [self._find(key) for key in keys]

    def keep(self, scores: Mapping[bytes, float]) -> None:
        with self._lock:
            for key, score in scores.items():
                self._scores[key] = score
                self._scores.move_to_end(key)
            while len(self._scores) > self._most_pairs:
                self._scores.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._scores.clear()

    def _find(self, key: bytes) -> float | None:
        score = self._scores.get(key)
        if score is not None:
            self._scores.move_to_end(key)
        return score


def build_key(asked: "hashlib.blake2b", passage: str) -> bytes:
    pair = asked.copy()
    pair.update(encode(passage))
    return pair.digest()


def encode(part: str) -> bytes:
    """With its length before it, so that no two rows of parts read the same."""
    content = part.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(8, "big") + content


PAIR_SCORES = PairCache()
