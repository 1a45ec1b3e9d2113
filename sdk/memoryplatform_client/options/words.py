"""The enumerations of the API."""

from typing import Literal, TypeAlias

Network: TypeAlias = Literal["world", "experience", "opinion", "observation"]
EntityKind: TypeAlias = Literal["PERSON", "ORGANIZATION", "LOCATION", "PRODUCT", "CONCEPT", "OTHER"]
TagsMatch: TypeAlias = Literal["any", "all", "any_strict", "all_strict", "exact"]
Budget: TypeAlias = Literal["low", "mid", "high"]
Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
