from typing import Literal, TypedDict
from uuid import UUID


class TargetId(TypedDict, total=False):
    """`id`: of the memory, message or entity, or your own id of a document or a thread. Others need none."""

    id: UUID | str


class Target(TargetId):
    kind: Literal["memory", "message", "thread", "document", "entity", "bank", "tenant"]
