"""What a person needs first, in the order of need."""

import shlex
from pathlib import Path

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.demo import DemoLogin
from memoryplatform.embedded.folder import VARIABLE, find_data_dir


def build_banner(address: Address, demo: DemoLogin, data_dir: Path) -> str:
    lines = [
        f"  Service    {address.url}",
        f"  API docs   {address.url}/v1/docs",
        f"  MCP        {address.url}/mcp/",
        f"  Admin      {address.url}/admin/",
        f"  Login      {describe_login(demo)}",
        *describe_key(demo),
        "",
        *describe_try(address, demo, data_dir),
        "",
        f"  Data       {data_dir}",
        "  Ctrl-C stops everything; the data stays.",
    ]
    return "\n".join(["", *lines, ""])


def describe_login(demo: DemoLogin) -> str:
    return f"{demo.email} / {demo.password} (shown once)" if demo.password else demo.email


def describe_key(demo: DemoLogin) -> list[str]:
    return [f"  API key    {demo.api_key} (shown once)"] if demo.api_key else []


def describe_try(address: Address, demo: DemoLogin, data_dir: Path) -> list[str]:
    if demo.api_key:
        return ["  Try it:", f'  curl -H "Authorization: Bearer {demo.api_key}" {address.url}/v1/banks']
    return [
        "  Try it:",
        f"  curl {address.url}/health/ready",
        "  Another API key:",
        f"  {describe_variable(data_dir)}python manage.py create_api_key {demo.email}",
    ]


def describe_variable(data_dir: Path) -> str:
    """Other commands find the default folder by themselves."""
    return "" if data_dir == find_data_dir(None) else f"{VARIABLE}={shlex.quote(str(data_dir))} "
