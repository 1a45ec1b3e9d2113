from memoryplatform_client.models.base import Model


class Tag(Model):
    """`count`: how many current ones have it."""

    tag: str
    count: int
