from typing import Annotated

from pydantic import Field, StrictFloat, StrictInt

from banks.models import Bank
from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.checked import check
from memoryplatform.api.mcp.shapes import PageAnswer, PageArguments, shorten
from memoryplatform.api.mcp.tool import Answer, Arguments, Effect, Tool
from memoryplatform.api.pagination import paginate
from memoryplatform.api.v1.banks import BankCreateInput, BankListInput, create_from
from memoryplatform.operations.banks.profile import find_banks, get_bank
from tenants.transactions import tenant_transaction

Trait = Annotated[StrictInt | None, Field(ge=1, le=5)]


class ListArguments(PageArguments):
    q: Annotated[str | None, Field(description="Part of the id or the name.")] = None


class BankAnswer(Answer):
    bank_id: str
    name: str
    background: str = Field(default="", description="Who the agent is, in the first person.")


class ListAnswer(PageAnswer):
    banks: list[BankAnswer]


class Disposition(Answer):
    skepticism: int
    literalism: int
    empathy: int


class ShownBank(BankAnswer):
    disposition: Disposition
    bias_strength: float = Field(description="0 answers objectively, 1 is openly opinionated.")
    extraction_mode: str


class GetArguments(Arguments):
    pass


class GivenDisposition(Arguments):
    skepticism: Trait = None
    literalism: Trait = None
    empathy: Trait = None


class CreateArguments(Arguments):
    bank_id: Annotated[
        str | None, Field(description="Your own name for the bank, without slashes; made up if left out.")
    ] = None
    name: Annotated[str | None, Field(description="The agent's name.")] = None
    background: Annotated[str | None, Field(description="Who the agent is, in the first person.")] = None
    disposition: Annotated[
        GivenDisposition | None, Field(description="How it judges, each from 1 (little) to 5 (much).")
    ] = None
    bias_strength: Annotated[
        StrictFloat | None, Field(ge=0, le=1, description="0 answers objectively, 1 is openly opinionated.")
    ] = None


def run_list(call: Call, arguments: ListArguments) -> ListAnswer:
    wanted = check(BankListInput, arguments.given()).validated_data
    with tenant_transaction(call.access.tenant_id):
        page = paginate(find_banks(call.access, words=wanted.get("q", "")), wanted, of=call.access.tenant_id)
    return ListAnswer(
        banks=[
            BankAnswer(bank_id=bank.bank_id, name=bank.name, background=shorten(bank.background)) for bank in page.rows
        ],
        next_cursor=page.next_cursor,
    )


def run_get(call: Call, _arguments: GetArguments) -> ShownBank:
    with tenant_transaction(call.access.tenant_id):
        return describe(get_bank(call.access, call.bank_id))


def run_create(call: Call, arguments: CreateArguments) -> ShownBank:
    return describe(create_from(call.access, check(BankCreateInput, arguments.given())))


def describe(bank: Bank) -> ShownBank:
    return ShownBank(
        bank_id=bank.bank_id,
        name=bank.name,
        background=bank.background,
        disposition=Disposition(skepticism=bank.skepticism, literalism=bank.literalism, empathy=bank.empathy),
        bias_strength=bank.bias_strength,
        extraction_mode=bank.extraction_mode,
    )


LIST_BANKS = Tool(
    name="list_banks",
    title="List banks",
    description="The memory banks that this key reaches, newest first. Each is the memory of one agent or subject.",
    arguments=ListArguments,
    answer=ListAnswer,
    run=run_list,
    in_bank=False,
)
GET_BANK = Tool(
    name="get_bank",
    title="Get a bank",
    description="Whose memory this is: name, background and disposition of the agent.",
    arguments=GetArguments,
    answer=ShownBank,
    run=run_get,
)
CREATE_BANK = Tool(
    name="create_bank",
    title="Create a bank",
    description="Make an empty memory bank. Not needed before retain, which makes a missing bank by itself.",
    arguments=CreateArguments,
    answer=ShownBank,
    run=run_create,
    scopes="write",
    effect=Effect.ADDS,
    in_bank=False,
)
