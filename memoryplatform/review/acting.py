"""A reviewer's act, through the same use-case as the API's."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.opinions.lists import list_opinions
from memoryplatform.operations.opinions.review import review
from reflection.models import Opinion, OpinionRevision
from reflection.opinions.review import Review
from tenants.audit import Actor
from tenants.models import User
from tenants.transactions import tenant_transaction


def name_reviewer(request: HttpRequest) -> str:
    """As the history knows him, as long as it has room for."""
    email = request.user.email if isinstance(request.user, User) else ""
    return email[: OpinionRevision._meta.get_field("actor").max_length]


def build_access(request: HttpRequest, tenant_id: UUID) -> BankAccess:
    user_id = request.user.id if isinstance(request.user, User) else None
    return BankAccess(tenant_id, actor=Actor(user_id=user_id, request_id=getattr(request, "request_id", "")))


def act_on(request: HttpRequest, opinion: Opinion, given: Review, *, version: str) -> None:
    """Raises a BankError where it can't be done, also because somebody else was faster."""
    access = build_access(request, opinion.tenant_id)
    review(access, opinion.bank.bank_id, opinion.pk, given, expected=frozenset({version}))


def read_versions(opinions: Sequence[Opinion]) -> dict[UUID, str]:
    by_bank: defaultdict[Bank, list[Opinion]] = defaultdict(list)
    for opinion in opinions:
        by_bank[opinion.bank].append(opinion)
    found: dict[UUID, str] = {}
    for bank, some in by_bank.items():
        with tenant_transaction(bank.tenant_id):
            found |= {one.described.unit.id: one.version for one in list_opinions(bank, some)}
    return found
