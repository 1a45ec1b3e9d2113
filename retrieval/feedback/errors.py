from uuid import UUID


class RecallNotFound(Exception):
    """Not there, of another bank, or too old to be kept."""

    code = "recall_not_found"

    def __init__(self, recall_id: UUID) -> None:
        super().__init__(f"Recall {recall_id} not found.")
