"""Admin of opinions: the queue of those that need review, and the page of each."""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.html import format_html

from banks.admin.memory_admin import OWNER_FILTERS, MemoryAdmin, labelled, parse_id, shorten
from banks.errors import BankError, MemoryChanged
from banks.models import Corpus
from memoryplatform.operations.opinions.queues import find_concern
from memoryplatform.review import acts
from memoryplatform.review.page import read_page
from memoryplatform.review.rows import (
    CAUSES,
    CONCERNS,
    STATES,
    EvidenceFilter,
    GroundsSection,
    OpinionList,
    QueueFilter,
    ReviewFilter,
    show_confidence,
    show_grounds,
    show_moment,
    show_place,
)
from reflection.models import Opinion
from reflection.opinions.review import Act

CONFLICT = (
    "Somebody else has changed this opinion since you opened it. It is shown as it is now; look, then send again."
)
MALFORMED = "Nothing was done: what was chosen is no opinion. Choose from the list again."
DONE = "The act is recorded in the history of “%s”."


@admin.register(Opinion)
class OpinionAdmin(MemoryAdmin):
    corpus = Corpus.UNIT
    list_display = ("said", "concern", "sureness", "state", "last_cause", "grounds", "place", "changed_at")
    list_filter = (QueueFilter, ReviewFilter, EvidenceFilter, *OWNER_FILTERS)
    list_sections = (GroundsSection,)
    list_disable_select_all = True
    list_per_page = 25
    ordering = ()  # the queue's own
    actions = ("approve_selected", "retire_selected", "pin_selected")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm("reflection.change_opinion")

    def get_changelist(self, _request: HttpRequest, **_kwargs: Any) -> type[OpinionList]:
        return OpinionList

    @admin.display(description="Opinion")
    def said(self, opinion: Any) -> str:
        return format_html('<span class="review-said">{}</span>', shorten(opinion.text))

    @labelled("Why", CONCERNS)
    def concern(self, opinion: Any) -> str:
        concern = find_concern(opinion.urgency)
        return concern.value if concern else ""

    @admin.display(description="Confidence")
    def sureness(self, opinion: Any) -> str:
        return show_confidence(opinion.confidence, opinion.standing.seen)

    @labelled("State", STATES)
    def state(self, opinion: Any) -> str:
        return opinion.review or "not reviewed"

    @labelled("Newest cause", CAUSES)
    def last_cause(self, opinion: Any) -> str:
        newest = opinion.standing.newest
        return newest.cause if newest else ""

    @admin.display(description="Evidence")
    def grounds(self, opinion: Any) -> str:
        return show_grounds(opinion.standing)

    @admin.display(description="Bank")
    def place(self, opinion: Any) -> str:
        return show_place(opinion)

    @admin.display(description="Changed")
    def changed_at(self, opinion: Any) -> str:
        newest = opinion.standing.newest
        return show_moment(newest.created_at if newest else opinion.recorded_at)

    @admin.action(description="Approve", permissions=["change"])
    def approve_selected(self, request: HttpRequest, _queryset: Any) -> TemplateResponse | None:
        return acts.review_selected(request, Act.APPROVE, self.build_context(request))

    @admin.action(description="Retire", permissions=["change"])
    def retire_selected(self, request: HttpRequest, _queryset: Any) -> TemplateResponse | None:
        return acts.review_selected(request, Act.RETIRE, self.build_context(request))

    @admin.action(description="Pin", permissions=["change"])
    def pin_selected(self, request: HttpRequest, _queryset: Any) -> TemplateResponse | None:
        return acts.review_selected(request, Act.PIN, self.build_context(request))

    def response_action(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        """Refuses malformed ids: Django itself would fail on them."""
        if acts.find_malformed(request):
            messages.error(request, MALFORMED)
            return HttpResponseRedirect(request.get_full_path())
        answer: HttpResponse | None = super().response_action(request, queryset)
        return answer

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """`form_url` and `extra_context` are Django's; the page is ours."""
        opinion = self.find_opinion(request, parse_id(object_id))
        if opinion is None:
            gone: HttpResponse = self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
            return gone
        if not self.has_view_permission(request, opinion):
            raise PermissionDenied
        form = acts.ReviewForm(request.POST or None, opinion=opinion)
        if request.method == "POST":
            if not self.has_change_permission(request, opinion):
                raise PermissionDenied
            if form.is_valid() and self.is_done(request, opinion, form):
                back: HttpResponse = self.response_post_save_change(request, opinion)
                return back
        self.audit(request, opinion, "viewed")
        return self.render_page(request, opinion, form)

    def find_opinion(self, request: HttpRequest, opinion_id: UUID | None) -> Opinion | None:
        """None in a bank that is being deleted."""
        rows: Any = self.get_queryset(request).select_related("bank", "tenant").filter(bank__deleted_at=None)
        found: Opinion | None = rows.with_urgency().filter(pk=opinion_id).first() if opinion_id else None
        return found

    def is_done(self, request: HttpRequest, opinion: Opinion, form: acts.ReviewForm) -> bool:
        """Whether the act was done. Otherwise the form has the error."""
        given = form.review(acts.name_reviewer(request))
        try:
            acts.act_on(request, opinion, given, version=form.cleaned_data["version"])
        except MemoryChanged:
            form.add_error(None, CONFLICT)
            return False
        except BankError as error:
            form.add_error(None, str(error))
            return False
        messages.success(request, DONE % (self.find_opinion(request, opinion.pk) or opinion))
        return True

    def render_page(self, request: HttpRequest, opinion: Any, form: acts.ReviewForm) -> TemplateResponse:
        page = read_page(acts.build_access(request, opinion.tenant_id), opinion.bank.bank_id, opinion.pk)
        context = {
            "title": "Opinion",
            "subtitle": str(opinion),
            "original": opinion,
            "page": page,
            "opinion": page.shown.listed.described.unit,
            "concern": find_concern(opinion.urgency),
            "form": form if self.has_change_permission(request) and acts.find_possible(opinion) else None,
            "has_view_permission": True,
        }
        return TemplateResponse(
            request, "admin/reflection/opinion/change_form.html", self.build_context(request) | context
        )

    def build_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.opts, "media": self.media}
