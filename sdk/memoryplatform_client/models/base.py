from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """What the service answers. Fields of a newer service are kept, under their names, and break nothing."""

    model_config = ConfigDict(extra="allow", frozen=True)
