"""A page of the list, with what stands beside each of its opinions."""

from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from unfold.sections import TemplateSection
from unfold.views import ChangeList

from memoryplatform.review.standing import read_standings


class OpinionList(ChangeList):
    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: list[Any] = list(self.result_list)
        standings = read_standings(rows)
        for row in rows:
            row.standing = standings[row.pk]
        self.result_list: Any = rows


class GroundsSection(TemplateSection):
    """The evidence beside an opinion."""

    template_name = "admin/reflection/opinion/grounds.html"

    def get_context_data(self, _request: HttpRequest, instance: Model) -> dict[str, Any]:
        return {"grounds": getattr(instance, "standing").grounds}  # noqa: B009  # set by the list
