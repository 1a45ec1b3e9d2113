"""Pages of members and invitations."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryplatform.accounts.adapter import INVITATION
from memoryplatform.dashboard.access import TENANT, TenantRequest, perform, tenant_page
from memoryplatform.dashboard.forms import InvitationForm, RoleForm
from memoryplatform.operations.account import invitations as invited
from memoryplatform.operations.account import members as people
from memoryplatform.operations.account.access import RANKS, Right
from memoryplatform.operations.account.errors import (
    AccountInvalid,
    InvitationForOther,
    InvitationInvalid,
    TenantClosing,
)
from tenants.audit import build_actor
from tenants.models import Member


@tenant_page(Right.VIEW)
@require_GET
def members(request: TenantRequest) -> HttpResponse:
    manages = request.access.allows(Right.MANAGE)
    context = {
        "members": people.list_members(request.access),
        "invitations": invited.list_invitations(request.access) if manages else [],
        "form": InvitationForm(),
        "roles": [role for role in Member.Role if RANKS[role] <= RANKS[request.access.role]],
    }
    return render(request, "dashboard/members.html", context)


@tenant_page(Right.MANAGE)
@require_POST
def invite(request: TenantRequest) -> HttpResponse:
    form = InvitationForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Give a valid e-mail address and a role.")
        return redirect("members")

    def act() -> str:
        sent = invited.invite(request.access, form.cleaned_data["email"], Member.Role(form.cleaned_data["role"]))
        return f"An invitation is on its way to {sent.email}."

    return perform(request, act, "members")


@tenant_page(Right.MANAGE)
@require_POST
def revoke_invitation(request: TenantRequest, invitation_id: UUID) -> HttpResponse:
    def act() -> str:
        invited.revoke_invitation(request.access, invitation_id)
        return "The invitation is withdrawn."

    return perform(request, act, "members")


@tenant_page(Right.MANAGE)
@require_POST
def change_role(request: TenantRequest, user_id: UUID) -> HttpResponse:
    form = RoleForm(request.POST)

    def act() -> str:
        if not form.is_valid():
            raise AccountInvalid({"role": "There is no such role."})
        member = people.change_role(request.access, user_id, Member.Role(form.cleaned_data["role"]))
        return f"{member.user.email} is now {member.role}."

    return perform(request, act, "members")


@tenant_page(Right.VIEW)
@require_POST
def remove_member(request: TenantRequest, user_id: UUID) -> HttpResponse:
    """A member of any role may leave; the use-case checks the right to remove others."""
    is_own_act = user_id == request.access.actor.user_id

    def act() -> str:
        people.remove_member(request.access, user_id)
        return f"You left {request.membership.name}." if is_own_act else "The member is removed."

    return perform(request, act, "dashboard" if is_own_act else "members")


@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The link of the e-mail. A person who is not signed in comes back here after sign-up or log-in."""
    try:
        found_one = invited.find_invitation(token)
    except InvitationInvalid as error:
        request.session.pop(INVITATION, None)
        return render(request, "dashboard/invitation.html", {"error": str(error)}, status=404)
    if not request.user.is_authenticated:
        request.session[INVITATION] = token
        return render(request, "dashboard/invitation.html", {"invitation": found_one})
    if request.method == "GET":
        request.session.pop(INVITATION, None)  # shown once; the e-mail still has the link
        return render(request, "dashboard/invitation.html", {"invitation": found_one})
    try:
        accepted = invited.accept_invitation(request.user, token, build_actor(request, user_id=request.user.id))
    except (InvitationForOther, InvitationInvalid, TenantClosing) as error:
        request.session.pop(INVITATION, None)  # else the dashboard would lead here again
        return render(request, "dashboard/invitation.html", {"invitation": found_one, "error": str(error)}, status=409)
    request.session.pop(INVITATION, None)
    request.session[TENANT] = str(accepted.tenant_id)
    messages.success(request, f"Welcome to {accepted.tenant_name}.")
    return redirect("members")
