from collections.abc import Sequence
from datetime import datetime

from memoryplatform_client.calls import Call, change, fetch, put, read_nothing, reader, remove, submit
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.account import (
    Account,
    ApiKey,
    ApiKeyList,
    ConnectedAppList,
    Invitation,
    InvitationList,
    Member,
    MemberList,
    NewApiKey,
    OwnLLM,
)
from memoryplatform_client.routes import Resource, S_co, route
from memoryplatform_client.wire import path_of


class AccountResource(Resource[S_co]):
    """The tenant of the API key, its members, invitations and keys. The key needs the scope admin."""

    @route
    def get(self) -> Call[Account]:
        return fetch("/account", reader(Account))

    @route
    def rename(self, name: str) -> Call[Account]:
        return change("/account", reader(Account), {"name": name})

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
        """Make a successor with the same rights. Both keys work until the overlap is over."""
        given = {"overlap_hours": overlap_hours, "idempotency_key": idempotency_key}
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
    def llm(self) -> Call[OwnLLM]:
        """The tenant's own language model."""
        return fetch("/account/llm", reader(OwnLLM))

    @route
    def save_llm(self, base_url: str, model: str, *, api_key: str | None = None) -> Call[OwnLLM]:
        """The endpoint must answer a test call. `api_key` None keeps the stored key; empty: there is none."""
        return put("/account/llm", reader(OwnLLM), {"base_url": base_url, "model": model, "api_key": api_key})

    @route
    def delete_llm(self) -> Call[None]:
        return remove("/account/llm", read_nothing)
