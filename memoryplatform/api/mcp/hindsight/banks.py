"""Hindsight's tools for banks and tags."""

from typing import Annotated, Any

from pydantic import Field

from memoryplatform.api.compat.hindsight.banks import (
    HindsightBanksView,
    HindsightBankView,
    HindsightConfigView,
    HindsightProfileView,
    HindsightStatsView,
    HindsightTagsView,
)
from memoryplatform.api.mcp.hindsight.tool import (
    HindsightArguments,
    HindsightCall,
    NoArguments,
    Object,
    PageArguments,
    define_tool,
)
from memoryplatform.api.mcp.tools.tool import Effect


class BankListArguments(PageArguments):
    query: Annotated[str | None, Field(description="Part of the id or the name.")] = None


class CreateBankArguments(HindsightArguments):
    bank_id: str
    name: str | None = None
    mission: Annotated[str | None, Field(description="Who the agent is, and what it wants to accomplish.")] = None


class UpdateBankArguments(HindsightArguments):
    name: str | None = None
    mission: Annotated[str | None, Field(description="The same as reflect_mission in config_updates.")] = None
    config_updates: Annotated[
        Object, Field(description="Settings by their names, such as retain_mission. Null resets one.")
    ] = None


class TagListArguments(PageArguments):
    q: Annotated[str | None, Field(description="A pattern such as project:*.")] = None


@define_tool("List banks", in_bank=False, takes_bank=False)
def list_banks(call: HindsightCall, arguments: BankListArguments) -> dict[str, Any]:
    """The memory banks that this key reaches."""
    given = arguments.given()
    return call.send(HindsightBanksView, "GET", {"q" if name == "query" else name: given[name] for name in given})


@define_tool("Create a bank", scopes="write", effect=Effect.ADDS, in_bank=False, takes_bank=False)
def create_bank(call: HindsightCall, arguments: CreateBankArguments) -> dict[str, Any]:
    """Create a memory bank, or change the name and the mission of an existing one."""
    return call.send(HindsightBankView, "PUT", arguments.given(), bank_id=arguments.bank_id)


@define_tool("Get a bank")
def get_bank(call: HindsightCall, _arguments: NoArguments) -> dict[str, Any]:
    """Name, mission and disposition of the bank."""
    return call.send_in_bank(HindsightProfileView, "GET")


@define_tool("Get a bank's statistics", in_bank=False)
def get_bank_stats(call: HindsightCall, _arguments: NoArguments) -> dict[str, Any]:
    """How many memories, links, documents and operations the bank has."""
    return call.send_in_bank(HindsightStatsView, "GET")


@define_tool("Change a bank", scopes="write read", effect=Effect.ADDS)
def update_bank(call: HindsightCall, arguments: UpdateBankArguments) -> dict[str, Any]:
    """Change the name or the settings of the bank. Settings that are left out stay."""
    updates = {} if arguments.mission is None else {"reflect_mission": arguments.mission}
    changed = call.send_in_bank(HindsightConfigView, "PATCH", {"updates": updates | (arguments.config_updates or {})})
    renamed = {} if arguments.name is None else {"name": arguments.name}
    profile = call.send_in_bank(HindsightBankView, "PATCH", renamed)
    return profile | {name: changed[name] for name in ("overrides", "ignored")}


@define_tool("Delete a bank", scopes="write", effect=Effect.REMOVES)
def delete_bank(call: HindsightCall, _arguments: NoArguments) -> dict[str, Any]:
    """Delete the bank with all its memories, documents and mental models for good."""
    return call.send_in_bank(HindsightBankView, "DELETE")


@define_tool("List tags")
def list_tags(call: HindsightCall, arguments: TagListArguments) -> dict[str, Any]:
    """The tags of the bank's memories, with their counts."""
    return call.send_in_bank(HindsightTagsView, "GET", arguments.given())


TOOLS = (list_banks, create_bank, get_bank, get_bank_stats, update_bank, delete_bank, list_tags)
