"""The names of what happens. Most are those of the audit log, and are told where it is written."""

PING = "ping"

OF_OPERATIONS = {
    "operation.completed": "An operation of any kind came to its end.",
    "operation.failed": "An operation failed for good.",
    "operation.cancelled": "Somebody cancelled an operation.",
    "memories.retained": "A retain is done; its new memories can be recalled.",
    "memories.consolidated": "What follows a retain is done: opinions, entities and background are up to date.",
}
OF_BELIEFS = {"opinion.changed": "An opinion was formed, moved, revised, reviewed or taken back."}
AUDITED = {
    "bank.created": "A bank was created.",
    "bank.changed": "A bank's profile was changed.",
    "bank.deleted": "A bank is gone for every caller.",
    "document.deleted": "A document was deleted with what rests on it alone.",
    "memory.edited": "A memory was edited.",
    "memory.invalidated": "A memory was closed by hand.",
    "memory.restored": "A closed memory holds again.",
    "memory.deleted": "A memory was deleted.",
    "memories.deleted": "Memories were deleted by a filter.",
    "memories.expired": "Memories were deleted by a retention rule.",
}
EVENTS: dict[str, str] = OF_OPERATIONS | OF_BELIEFS | AUDITED
