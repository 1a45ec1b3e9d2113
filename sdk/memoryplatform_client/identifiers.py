from typing import TypeAlias
from uuid import UUID

Id: TypeAlias = UUID | str
