"""The tool descriptions and results that a model reads, shared by all adapters."""

from pydantic import BaseModel, ConfigDict, Field

RETAIN = "Remember something for later conversations. Say it so that it can be understood without this conversation."
RECALL = "Look up what is remembered about a question, with dates. Ask before you say that you do not know something."
REFLECT = "Get a considered answer from memory, in your own disposition, with reasons. Slower than recall."
NOTHING = "Nothing is remembered about this."
KEPT = "The text is kept. No facts of their own were found in it."
LATER = "The text is kept. Its memories are still being made."
PATIENCE = 60.0  # seconds: while the tool runs, a person waits for the model


class Remembered(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: str = Field(description="What to remember, in full sentences with names and dates.", min_length=1)


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: str = Field(description="The question, in full.", min_length=1)
