"""The tools `list_banks`, `get_bank` and `create_bank`."""

from typing import Annotated

from pydantic import Field, StrictFloat, StrictInt

from memoryplatform.api.mcp.tools import tool
from memoryplatform.api.pagination import paginate
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.banks import BankCreateInput, BankListInput, create_bank_from_input
from memoryplatform.operations.banks.profile import bank_transaction, find_banks
from tenants.transactions import tenant_transaction

Trait = Annotated[StrictInt | None, Field(ge=1, le=5)]


class ListArguments(tool.PageArguments):
    q: Annotated[str | None, Field(description="Part of the id or the name.")] = None


class BankAnswer(tool.Answer):
    bank_id: str
    name: str
    background: str = Field(default="", description="Who the agent is, in the first person.")


class ListAnswer(tool.PageAnswer):
    banks: list[BankAnswer]


class Disposition(tool.Answer):
    skepticism: int
    literalism: int
    empathy: int


class Term(tool.Answer):
    name: str
    description: str = ""


class ShownBank(BankAnswer):
    disposition: Disposition
    bias_strength: float = Field(description="0 answers objectively, 1 is openly opinionated.")
    extraction_mode: str
    retain_mission: str = Field(default="", description="What this memory is for.")
    leave_out: str = Field(default="", description="What must not become a memory.")
    retain_language: str = Field(default="", description="The language of the facts.")
    entity_types: tuple[Term, ...] = ()
    entity_types_closed: bool = False
    categories: tuple[Term, ...] = Field(default=(), description="Of facts; metadata category:NAME filters by one.")


class GetArguments(tool.Arguments):
    pass


class GivenDisposition(tool.Arguments):
    skepticism: Trait = None
    literalism: Trait = None
    empathy: Trait = None


class CreateArguments(tool.Arguments):
    bank_id: Annotated[
        str | None, Field(description="Your own id for the bank, without slashes; generated if left out.")
    ] = None
    name: Annotated[str | None, Field(description="The agent's name.")] = None
    background: Annotated[str | None, Field(description="Who the agent is, in the first person.")] = None
    disposition: Annotated[
        GivenDisposition | None, Field(description="How it judges: each trait from 1 (low) to 5 (high).")
    ] = None
    bias_strength: Annotated[
        StrictFloat | None, Field(ge=0, le=1, description="0 answers objectively, 1 is openly opinionated.")
    ] = None
    retain_mission: Annotated[str | None, Field(description="What this memory is for, and what to look for.")] = None
    leave_out: Annotated[str | None, Field(description="What must not become a memory.")] = None
    retain_language: Annotated[str | None, Field(description="The language of the facts, such as German.")] = None


@tool.define_tool("list_banks", "List banks", in_bank=False)
def run_list(call: tool.Call, arguments: ListArguments) -> ListAnswer:
    """The memory banks that this key reaches, newest first. Each is the memory of one agent or subject."""
    wanted = check_input(BankListInput, arguments.given()).validated_data
    with tenant_transaction(call.access.tenant_id):
        page = paginate(find_banks(call.access, words=wanted.get("q", "")), wanted, of=call.access.tenant_id)
    banks = [BankAnswer.read(bank, background=tool.shorten(bank.background)) for bank in page.rows]
    return ListAnswer(banks=banks, next_cursor=page.next_cursor)


@tool.define_tool("get_bank", "Get a bank")
def run_get(call: tool.Call, _arguments: GetArguments) -> ShownBank:
    """The agent that this memory belongs to: name, background, disposition, and what it is to remember."""
    with bank_transaction(call.access, call.bank_id) as bank:
        return ShownBank.read(bank)


@tool.define_tool("create_bank", "Create a bank", scopes="write", effect=tool.Effect.ADDS, in_bank=False)
def run_create(call: tool.Call, arguments: CreateArguments) -> ShownBank:
    """Create an empty memory bank. Not needed before retain, which creates a missing bank."""
    return ShownBank.read(create_bank_from_input(call.access, check_input(BankCreateInput, arguments.given())))
