from memoryplatform_client.models.base import Model


class Tag(Model):
    """`count`: the number of current memories with this tag."""

    tag: str
    count: int
