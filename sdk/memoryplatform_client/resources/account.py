from collections.abc import Sequence
from datetime import date, datetime
from typing import Unpack

import httpx

from memoryplatform_client.calls import Call, change, fetch, put, read_nothing, reader, remove, submit, without_none
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.account import (
    Account,
    AccountDeletion,
    ApiKey,
    ApiKeyList,
    ConnectedAppList,
    FullLLMRequest,
    Invitation,
    InvitationList,
    LLMLog,
    LLMRequest,
    Member,
    MemberList,
    NewApiKey,
    OwnLLM,
    OwnLLMList,
    Plan,
    UsageReport,
)
from memoryplatform_client.options.lists import LLMRequestFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class AccountResource(Resource[S_co]):
    """The tenant of the API key, its members, invitations, keys, plan and usage. Changes need the scope admin."""

    @route
    def get(self) -> Call[Account]:
        return fetch("/account", reader(Account))

    @route
    def rename(self, name: str) -> Call[Account]:
        return change("/account", reader(Account), {"name": name})

    @route
    def preview_deletion(self) -> Call[AccountDeletion]:
        """For the session of an owner: an API key is refused."""
        return fetch("/account/deletion", reader(AccountDeletion))

    @route
    def delete(self) -> Call[AccountDeletion]:
        """Delete the tenant after seven days. For the session of an owner: an API key is refused."""
        return remove("/account", reader(AccountDeletion))

    @route
    def cancel_deletion(self) -> Call[Account]:
        """For the session of an owner: an API key is refused."""
        return remove("/account/deletion", reader(Account))

    @route
    def members(self) -> Call[MemberList]:
        return fetch("/account/members", reader(MemberList))

    @route
    def change_role(self, user_id: Id, role: str) -> Call[Member]:
        return change(path_of("account", "members", user_id), reader(Member), {"role": role})

    @route
    def remove_member(self, user_id: Id) -> Call[None]:
        return remove(path_of("account", "members", user_id), read_nothing)

    @route
    def invitations(self) -> Call[InvitationList]:
        return fetch("/account/invitations", reader(InvitationList))

    @route
    def invite(self, email: str, role: str, *, idempotency_key: str | None = None) -> Call[Invitation]:
        """The link in the e-mail works once, for seven days."""
        given = {"email": email, "role": role, "idempotency_key": idempotency_key}
        return submit("/account/invitations", reader(Invitation), given)

    @route
    def revoke_invitation(self, invitation_id: Id) -> Call[None]:
        return remove(path_of("account", "invitations", invitation_id), read_nothing)

    @route
    def keys(self) -> Call[ApiKeyList]:
        """Includes revoked and expired keys."""
        return fetch("/account/keys", reader(ApiKeyList))

    @route
    def create_key(
        self,
        name: str,
        scopes: Sequence[str],
        *,
        bank_ids: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Call[NewApiKey]:
        """The response holds the key. It is shown only this once. `bank_ids` None is every bank."""
        given = {"name": name, "scopes": scopes, "banks": bank_ids, "expires_at": expires_at}
        return submit("/account/keys", reader(NewApiKey), {**given, "idempotency_key": idempotency_key})

    @route
    def rotate_key(
        self, key_id: Id, *, overlap_hours: int | None = None, idempotency_key: str | None = None
    ) -> Call[NewApiKey]:
        """Make a successor with the same rights. Both keys work until the overlap is over, by default for a day."""
        given = without_none(overlap_hours=overlap_hours, idempotency_key=idempotency_key)
        return submit(path_of("account", "keys", key_id, "rotate"), reader(NewApiKey), given)

    @route
    def revoke_key(self, key_id: Id) -> Call[ApiKey]:
        return remove(path_of("account", "keys", key_id), reader(ApiKey))

    @route
    def apps(self) -> Call[ConnectedAppList]:
        """Apps that were connected by OAuth."""
        return fetch("/account/apps", reader(ConnectedAppList))

    @route
    def disconnect_app(self, app_id: Id) -> Call[None]:
        return remove(path_of("account", "apps", app_id), read_nothing)

    @route
    def llms(self) -> Call[OwnLLMList]:
        """The tenant's own language models."""
        return fetch("/account/llms", reader(OwnLLMList))

    @route
    def llm(self, *, task: str = "all") -> Call[OwnLLM]:
        """The tenant's own language model for a task: all, extract, reflect, observe, judge or fallback."""
        return fetch("/account/llm", reader(OwnLLM), {"task": task})

    @route
    def save_llm(  # noqa: PLR0913  # the fields of the route
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        task: str = "all",
        reasoning_effort: str = "",
        temperature: float | None = None,
        timeout_seconds: float | None = None,
    ) -> Call[OwnLLM]:
        """The endpoint must answer a test call. `api_key` None keeps the stored key; empty: there is none."""
        given = {
            "base_url": base_url,
            "model": model,
            "api_key": api_key,
            "reasoning_effort": reasoning_effort,
            "temperature": temperature,
            "timeout_seconds": timeout_seconds,
        }
        return put("/account/llm", reader(OwnLLM), given, {"task": task})

    @route
    def delete_llm(self, *, task: str = "all") -> Call[None]:
        return remove("/account/llm", read_nothing, {"task": task})

    @route
    def llm_log(self) -> Call[LLMLog]:
        """The setting of the log of LLM requests."""
        return fetch("/account/llm-log", reader(LLMLog))

    @route
    def change_llm_log(self, days: int) -> Call[LLMLog]:
        """0 turns the log off and deletes it."""
        return put("/account/llm-log", reader(LLMLog), {"days": days})

    @listed
    def llm_requests(self, **wanted: Unpack[LLMRequestFilter]) -> Listing[LLMRequest]:
        """The log without prompts and answers, newest first."""
        return list_of("/account/llm-requests", LLMRequest, wanted, rows="requests")

    @route
    def llm_request(self, llm_request_id: Id) -> Call[FullLLMRequest]:
        """With prompt and answer."""
        return fetch(path_of("account", "llm-requests", llm_request_id), reader(FullLLMRequest))

    @route
    def plan(self) -> Call[Plan]:
        """The limits of the plan and their use."""
        return fetch("/account/plan", reader(Plan))

    @route
    def usage(
        self, *, since: date | None = None, until: date | None = None, group_by: Sequence[str] | None = None
    ) -> Call[UsageReport]:
        """Usage and cost, grouped by day, bank, key, kind or model. The default is the last 30 days, by day."""
        return fetch("/account/usage", reader(UsageReport), {"since": since, "until": until, "group_by": group_by})

    @route
    def usage_csv(
        self, *, since: date | None = None, until: date | None = None, group_by: Sequence[str] | None = None
    ) -> Call[str]:
        given = {"since": since, "until": until, "group_by": group_by, "format": "csv"}
        return fetch("/account/usage", read_text, given)


def read_text(response: httpx.Response) -> str:
    return response.text
