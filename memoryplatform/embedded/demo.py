"""The answer of `manage.py demo --json`."""

from pydantic import BaseModel, ConfigDict, ValidationError

from memoryplatform.embedded.errors import StartError


class DemoLogin(BaseModel):
    """Password and key are known only to the run that made them."""

    model_config = ConfigDict(frozen=True)

    email: str
    password: str | None
    api_key: str | None


def parse_demo(output: str) -> DemoLogin:
    """The last line that fits: a warning may stand before it, or after."""
    for line in reversed(output.splitlines()):
        try:
            return DemoLogin.model_validate_json(line)
        except ValidationError:
            continue
    raise StartError("The demo command gave no login.")
