"""Hindsight's routes under `/v1/default/`, and our own routes beside them.

Where both have an address, Hindsight's methods come first, and ours add the methods that it lacks.
"""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.views import View

from memoryplatform.api.compat.hindsight import (
    aliases,
    audit_logs,
    banks,
    directives,
    documents,
    dry_run,
    entities,
    files,
    knowledge_base,
    llm_requests,
    memories,
    memory,
    mental_models,
    operations,
    prompts,
    recall,
    reflect,
    templates,
    transfer,
    webhooks,
)
from memoryplatform.api.compat.hindsight.hindsight_view import NotServedView
from memoryplatform.api.v1.urls import ROUTES


def share_routes(theirs: Iterable[URLPattern], ours: Iterable[URLPattern]) -> list[URLPattern]:
    """Hindsight's routes come first, each with our methods that it lacks."""
    by_address = {str(pattern.pattern): pattern for pattern in ours}
    known = list(theirs)
    both = [join_methods(pattern, by_address.get(str(pattern.pattern))) for pattern in known]
    taken = {str(pattern.pattern) for pattern in known}
    return [*both, *(pattern for address, pattern in by_address.items() if address not in taken)]


def join_methods(their: URLPattern, own: URLPattern | None) -> URLPattern:
    if own is None or not list_methods(own) - list_methods(their):
        return their
    methods, their_view, own_view = list_methods(own) - list_methods(their), their.callback, own.callback

    def view(request: HttpRequest, **names: Any) -> HttpResponseBase:
        answer: HttpResponseBase = (own_view if request.method in methods else their_view)(request, **names)
        return answer

    view.csrf_exempt = True  # type: ignore[attr-defined]  # as both are: what a key allows, no cookie does
    view.view_class = their_view.view_class  # type: ignore[attr-defined]  # as Django's own views have it
    return path(str(their.pattern), view)


def list_methods(pattern: URLPattern) -> set[str]:
    view: type[View] = pattern.callback.view_class  # type: ignore[attr-defined]  # Django's own views have it
    return {name.upper() for name in view.http_method_names if name != "options" and hasattr(view, name)}


def refuse(address: str, sentence: str) -> URLPattern:
    return path(address, NotServedView.as_view(sentence=sentence))


# Addresses below /banks/{bank_id}/ that answer 501, with the sentence of the response.
NOT_SERVED = {
    "attachments": "This service keeps no attachments.",
    "consolidation-strategies": "Observations follow their facts here; there are no strategies to preview.",
    "health": "GET /health/ready shows the state of the service.",
}


BANK = "banks/<str:bank_id>"
DOCUMENT = f"{BANK}/documents/<path:document_id>"
MODEL = f"{BANK}/mental-models/<str:model_id>"
OPERATION = f"{BANK}/operations/<str:operation_id>"
THEIRS = [
    path("banks", banks.HindsightBanksView.as_view()),
    path(BANK, banks.HindsightBankView.as_view()),
    path(f"{BANK}/profile", banks.HindsightProfileView.as_view()),
    path(f"{BANK}/config", banks.HindsightConfigView.as_view()),
    path(f"{BANK}/stats", banks.HindsightStatsView.as_view()),
    path(f"{BANK}/stats/memories-timeseries", banks.HindsightTimeseriesView.as_view()),
    path(f"{BANK}/aliases", aliases.HindsightAliasesView.as_view()),
    path(f"{BANK}/aliases/<str:alias>", aliases.HindsightAliasView.as_view()),
    path(f"{BANK}/memories", memories.HindsightMemoriesView.as_view()),
    path(f"{BANK}/memories/list", memories.HindsightMemoryListView.as_view()),
    path(f"{BANK}/memories/recall", recall.HindsightRecallView.as_view()),
    path(f"{BANK}/memories/dry-run-extract", dry_run.HindsightDryRunView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>", memory.HindsightMemoryView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>/history", memory.HindsightMemoryHistoryView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>/observations", memories.HindsightMemoryObservationsView.as_view()),
    path(f"{BANK}/consolidate", memories.HindsightConsolidateView.as_view()),
    path(f"{BANK}/consolidation/recover", memories.HindsightRecoverView.as_view()),
    path(f"{BANK}/files/retain", files.HindsightFilesView.as_view()),
    path(f"{BANK}/prompts/preview", prompts.HindsightPromptPreviewView.as_view()),
    path(f"{BANK}/llm-requests", llm_requests.HindsightLLMRequestsView.as_view()),
    path(f"{BANK}/llm-requests/stats", llm_requests.HindsightLLMRequestStatsView.as_view()),
    path(f"{BANK}/observations", memories.HindsightObservationsView.as_view()),
    path(f"{BANK}/observations/scopes", memories.HindsightScopesView.as_view()),
    path(f"{BANK}/background", banks.HindsightBackgroundView.as_view()),
    path(f"{BANK}/export", templates.HindsightTemplateExportView.as_view()),
    path(f"{BANK}/import", templates.HindsightTemplateImportView.as_view()),
    path(f"{BANK}/reflect", reflect.HindsightReflectView.as_view()),
    path(f"{BANK}/graph", banks.HindsightGraphView.as_view()),
    path(f"{BANK}/tags", banks.HindsightTagsView.as_view()),
    path(f"{BANK}/documents", documents.HindsightDocumentsView.as_view()),
    # an id may contain slashes, so longer routes come first
    path(f"{DOCUMENT}/chunks", documents.HindsightDocumentChunksView.as_view()),
    path(f"{DOCUMENT}/history", documents.HindsightDocumentHistoryView.as_view()),
    path(f"{DOCUMENT}/reprocess", documents.HindsightReprocessView.as_view()),
    path(DOCUMENT, documents.HindsightDocumentView.as_view()),
    path("chunks/<uuid:chunk_id>", documents.HindsightChunkView.as_view()),
    path(f"{BANK}/entities", entities.HindsightEntitiesView.as_view()),
    path(f"{BANK}/entities/graph", entities.HindsightEntityGraphView.as_view()),
    path(f"{BANK}/entities/<uuid:entity_id>", entities.HindsightEntityView.as_view()),
    refuse(
        f"{BANK}/entities/<uuid:entity_id>/regenerate",
        "POST /v1/banks/{bank_id}/observations/refresh refreshes observations.",
    ),
    path(f"{BANK}/operations", operations.HindsightOperationsView.as_view()),
    path(OPERATION, operations.HindsightOperationView.as_view()),
    path(f"{OPERATION}/retry", operations.HindsightRetryView.as_view()),
    path(f"{OPERATION}/delete", operations.HindsightOperationDeletionView.as_view()),
    path(f"{BANK}/directives", directives.HindsightDirectivesView.as_view()),
    path(f"{BANK}/directives/<uuid:directive_id>", directives.HindsightDirectiveView.as_view()),
    path(f"{BANK}/mental-models", mental_models.HindsightMentalModelsView.as_view()),
    path(MODEL, mental_models.HindsightMentalModelView.as_view()),
    path(f"{MODEL}/refresh", mental_models.HindsightModelRefreshView.as_view()),
    path(f"{MODEL}/clear", mental_models.HindsightModelClearView.as_view()),
    path(f"{MODEL}/history", mental_models.HindsightModelHistoryView.as_view()),
    refuse(f"{MODEL}/dry-run-refresh", "A refresh can't be tried without storing it."),
    path(f"{BANK}/knowledge-base/tree", knowledge_base.HindsightTreeView.as_view()),
    path(f"{BANK}/knowledge-base/folders", knowledge_base.HindsightFoldersView.as_view()),
    path(f"{BANK}/knowledge-base/pages", knowledge_base.HindsightPagesView.as_view()),
    path(f"{BANK}/knowledge-base/pages/<str:page_id>", knowledge_base.HindsightPageView.as_view()),
    path(f"{BANK}/knowledge-base/nodes/<str:node_id>", knowledge_base.HindsightNodeView.as_view()),
    path(f"{BANK}/knowledge-base/search", knowledge_base.HindsightPageSearchView.as_view()),
    path(f"{BANK}/knowledge-base/export", knowledge_base.HindsightPageBundleView.as_view()),
    path(f"{BANK}/audit-logs", audit_logs.HindsightAuditLogsView.as_view()),
    path(f"{BANK}/audit-logs/stats", audit_logs.HindsightAuditStatsView.as_view()),
    path(f"{BANK}/audit-logs/<uuid:log_id>", audit_logs.HindsightAuditLogView.as_view()),
    path(f"{BANK}/webhooks", webhooks.HindsightWebhooksView.as_view()),
    path(f"{BANK}/webhooks/<uuid:webhook_id>", webhooks.HindsightWebhookView.as_view()),
    path(f"{BANK}/webhooks/<uuid:webhook_id>/deliveries", webhooks.HindsightDeliveriesView.as_view()),
    path(f"{BANK}/transfer/export", transfer.HindsightExportView.as_view()),
    path(f"{BANK}/transfer/import", transfer.HindsightImportView.as_view()),
    path(f"{BANK}/document-transfer", transfer.HindsightDocumentImportView.as_view()),
    path(f"{BANK}/document-transfer/export", transfer.HindsightDocumentExportView.as_view()),
    path(f"{BANK}/clone", transfer.HindsightCloneView.as_view()),
    path("files/download/<path:key>", transfer.HindsightDownloadView.as_view()),
    *(refuse(f"{BANK}/{name}", sentence) for name, sentence in NOT_SERVED.items()),
    *(refuse(f"{BANK}/{name}/<path:rest>", sentence) for name, sentence in NOT_SERVED.items()),
]


urlpatterns = share_routes(THEIRS, ROUTES)
