"""Errors of the use-cases of accounts. Each message is a sentence for the caller."""

from collections.abc import Mapping
from typing import Any


class AccountError(Exception):
    code = "account_error"


class NotPermitted(AccountError):
    code = "permission_denied"


class TenantSuspended(AccountError):
    code = "tenant_suspended"

    def __init__(self) -> None:
        super().__init__("This tenant is suspended. Contact support.")


class TenantClosing(AccountError):
    """Its deletion is requested, and its grace is not over."""

    code = "tenant_closing"

    def __init__(self) -> None:
        super().__init__("This tenant is going to be erased. An owner can cancel that on the page Settings.")


class TooManyTenants(AccountError):
    code = "too_many_tenants"

    def __init__(self, most: int) -> None:
        super().__init__(f"You own {most} tenants, which is the most that one person may own. Delete one first.")


class DeletionNotFound(AccountError):
    code = "deletion_not_found"

    def __init__(self) -> None:
        super().__init__("The deletion of this tenant is not requested.")


class MemberNotFound(AccountError):
    code = "member_not_found"

    def __init__(self) -> None:
        super().__init__("This tenant has no such member.")


class LastOwner(AccountError):
    code = "last_owner"

    def __init__(self) -> None:
        super().__init__("A tenant needs an owner: make another member an owner first.")


class InvitationInvalid(AccountError):
    """One answer for a forged, expired, revoked or used invitation, so that nothing can be probed."""

    code = "invitation_invalid"

    def __init__(self) -> None:
        super().__init__("This invitation is not valid. It may have expired, or it was used or withdrawn.")


class InvitationNotFound(AccountError):
    code = "invitation_not_found"

    def __init__(self) -> None:
        super().__init__("This tenant has no such open invitation.")


class InvitationForOther(AccountError):
    code = "invitation_for_other"

    def __init__(self, email: str) -> None:
        super().__init__(f"This invitation was sent to {email}. Sign in with that address to accept it.")


class AlreadyMember(AccountError):
    code = "already_member"

    def __init__(self, email: str) -> None:
        super().__init__(f"{email} is a member of this tenant already.")


class AlreadyInvited(AccountError):
    code = "already_invited"

    def __init__(self, email: str) -> None:
        super().__init__(f"{email} has an open invitation already. Withdraw it to send another.")


class TooManyInvitations(AccountError):
    """`retry_after`: seconds until there is room for another one."""

    code = "too_many_invitations"

    def __init__(self, limit: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"A tenant can have at most {limit}.")


class ApiKeyNotFound(AccountError):
    code = "api_key_not_found"

    def __init__(self) -> None:
        super().__init__("This tenant has no such API key.")


class ApiKeyEnded(AccountError):
    code = "api_key_ended"

    def __init__(self) -> None:
        super().__init__("This API key no longer works, so it can't be rotated. Create a new one.")


class ApiKeyRotated(AccountError):
    code = "api_key_rotated"

    def __init__(self, prefix: str) -> None:
        super().__init__(f"This API key was rotated already: its successor is {prefix}.")


class AppNotFound(AccountError):
    code = "app_not_found"

    def __init__(self) -> None:
        super().__init__("This tenant has no such connected app.")


class OwnLLMNotFound(AccountError):
    code = "own_llm_not_found"

    def __init__(self) -> None:
        super().__init__("This tenant has no language model of its own.")


class LLMRequestNotFound(AccountError):
    code = "llm_request_not_found"

    def __init__(self) -> None:
        super().__init__("The log has no such LLM request.")


class LLMCheckFailed(AccountError):
    code = "llm_check_failed"


class AccountInvalid(AccountError):
    """Faults of the given values, by field."""

    code = "account_invalid"

    def __init__(self, faults: Mapping[str, Any]) -> None:
        self.faults = dict(faults)
        super().__init__("; ".join(f"{field}: {fault}" for field, fault in self.faults.items()))
