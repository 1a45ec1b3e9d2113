from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Base of all responses. Fields that this client does not know are kept as attributes."""

    model_config = ConfigDict(extra="allow", frozen=True)
