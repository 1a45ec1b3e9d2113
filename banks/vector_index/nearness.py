from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Neighbour:
    unit_id: UUID
    cosine: float
