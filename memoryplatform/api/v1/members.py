"""`/v1/account/members` and `/v1/account/invitations`: the people of the tenant."""

from uuid import UUID

from django.core.exceptions import ValidationError
from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.account import ADMIN, READ, AccountView
from memoryplatform.operations.account import invitations, members
from memoryplatform.operations.account.errors import AccountInvalid, NotPermitted
from tenants.models import Member

ROLES = Member.Role.choices


class MemberOutput(Output):
    user_id = serializers.UUIDField()
    email = serializers.CharField(source="user.email")
    name = serializers.CharField(source="user.name")
    role = serializers.ChoiceField(choices=ROLES)
    since = serializers.DateTimeField(source="created_at")


class MembersOutput(Output):
    members = MemberOutput(many=True)


class RoleInput(Input):
    role = serializers.ChoiceField(choices=ROLES)


class InvitationOutput(Output):
    invitation_id = serializers.UUIDField(source="id")
    email = serializers.CharField()
    role = serializers.ChoiceField(choices=ROLES)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class InvitationsOutput(Output):
    invitations = InvitationOutput(many=True)


class InvitationInput(RoleInput):
    email = serializers.EmailField(max_length=254)


class MembersView(AccountView):
    scopes = READ

    @route("list_members", "List the members of the tenant", MembersOutput)
    def get(self) -> object:
        """For a member's session, or an API key with the scope admin: the list has e-mail addresses."""
        if not self.identity.role and not self.identity.allows("admin"):
            raise NotPermitted("Only a member's session or an API key with the scope admin can list the members.")
        return {"members": members.list_members(self.caller)}


class MemberView(AccountView):
    scopes = READ

    @route("change_member_role", "Change the role of a member", MemberOutput, body=RoleInput)
    def patch(self, user_id: UUID, body: RoleInput) -> object:
        return members.change_role(self.caller, user_id, Member.Role(body.validated_data["role"]))

    @route("remove_member", "Remove a member, or leave", None, 204)
    def delete(self, user_id: UUID) -> None:
        """The keys that the person made stay."""
        members.remove_member(self.caller, user_id)


class InvitationsView(AccountView):
    scopes = ADMIN

    @route("list_invitations", "List open invitations, newest first", InvitationsOutput)
    def get(self) -> object:
        return {"invitations": invitations.list_invitations(self.caller)}

    @idempotent
    @route("invite_member", "Invite a person by e-mail", InvitationOutput, 201, body=InvitationInput)
    def post(self, body: InvitationInput) -> object:
        """The link in the e-mail works once, for seven days, for a person who has verified that address."""
        given = body.validated_data
        try:
            return invitations.invite(self.caller, given["email"], Member.Role(given["role"]))
        except ValidationError as error:
            raise AccountInvalid({"email": " ".join(error.messages)}) from error


class InvitationView(AccountView):
    scopes = ADMIN

    @route("revoke_invitation", "Withdraw an invitation", None, 204)
    def delete(self, invitation_id: UUID) -> None:
        invitations.revoke_invitation(self.caller, invitation_id)
