from django.urls import path

from memoryplatform.api.compat.hindsight import (
    audit_logs,
    background,
    bank_config,
    bank_stats,
    banks,
    consolidation,
    directives,
    documents,
    entities,
    graph,
    memories,
    memory,
    mental_models,
    operations,
    recall,
    reflect,
    tags,
    templates,
    transfer,
    webhooks,
)
from memoryplatform.api.compat.hindsight.not_served import NotServedView
from memoryplatform.api.compat.hindsight.shared_routes import share_routes
from memoryplatform.api.v1.urls import ROUTES

# What stands behind /banks/{bank_id}/, whatever follows it, and the sentence that it is answered with.
NOT_SERVED = {
    "aliases": "Banks have one id here, no aliases.",
    "attachments": "This service keeps no attachments.",
    "consolidation": "A failed operation is retried at POST .../operations/{operation_id}/retry.",
    "consolidation-strategies": "Observations follow their facts here; there are no strategies to preview.",
    "document-transfer": "Documents are exported with all that a bank holds, at GET /v1/banks/{bank_id}/export.",
    "files": "Only text is retained here: send what a file says.",
    "health": "The state of the service stands at /health/ready.",
    "knowledge-base": "Knowledge pages have no counterpart here; mental models are kept at /mental-models.",
    "llm-requests": "Requests to language models are not shown here.",
    "prompts": "Prompts can't be previewed.",
}


BANK = "banks/<str:bank_id>"
DOCUMENT = f"{BANK}/documents/<path:document_id>"
MODEL = f"{BANK}/mental-models/<str:model_id>"
OPERATION = f"{BANK}/operations/<str:operation_id>"

THEIRS = [
    path("banks", banks.HindsightBanksView.as_view()),
    path(BANK, banks.HindsightBankView.as_view()),
    path(f"{BANK}/profile", banks.HindsightProfileView.as_view()),
    path(f"{BANK}/config", bank_config.HindsightConfigView.as_view()),
    path(f"{BANK}/stats", bank_stats.HindsightStatsView.as_view()),
    path(f"{BANK}/stats/memories-timeseries", bank_stats.HindsightTimeseriesView.as_view()),
    path(f"{BANK}/memories", memories.HindsightMemoriesView.as_view()),
    path(f"{BANK}/memories/list", memories.HindsightMemoryListView.as_view()),
    path(f"{BANK}/memories/recall", recall.HindsightRecallView.as_view()),
    path(
        f"{BANK}/memories/dry-run-extract",
        NotServedView.as_view(sentence="An extraction can't be tried without storing it."),
    ),
    path(f"{BANK}/memories/<uuid:memory_id>", memory.HindsightMemoryView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>/history", memory.HindsightMemoryHistoryView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>/observations", consolidation.HindsightMemoryObservationsView.as_view()),
    path(f"{BANK}/consolidate", consolidation.HindsightConsolidateView.as_view()),
    path(f"{BANK}/observations", consolidation.HindsightObservationsView.as_view()),
    path(f"{BANK}/observations/scopes", consolidation.HindsightScopesView.as_view()),
    path(f"{BANK}/background", background.HindsightBackgroundView.as_view()),
    path(f"{BANK}/export", templates.HindsightTemplateExportView.as_view()),
    path(f"{BANK}/import", templates.HindsightTemplateImportView.as_view()),
    path(f"{BANK}/reflect", reflect.HindsightReflectView.as_view()),
    path(f"{BANK}/graph", graph.HindsightGraphView.as_view()),
    path(f"{BANK}/tags", tags.HindsightTagsView.as_view()),
    path(f"{BANK}/documents", documents.HindsightDocumentsView.as_view()),
    # an id may hold slashes, so what stands behind one is looked for first
    path(f"{DOCUMENT}/chunks", documents.HindsightDocumentChunksView.as_view()),
    path(f"{DOCUMENT}/history", NotServedView.as_view(sentence="Former versions of a document are not kept.")),
    path(f"{DOCUMENT}/reprocess", NotServedView.as_view(sentence="To read a document again, retain it again.")),
    path(DOCUMENT, documents.HindsightDocumentView.as_view()),
    path("chunks/<uuid:chunk_id>", documents.HindsightChunkView.as_view()),
    path(f"{BANK}/entities", entities.HindsightEntitiesView.as_view()),
    path(f"{BANK}/entities/graph", entities.HindsightEntityGraphView.as_view()),
    path(f"{BANK}/entities/<uuid:entity_id>", entities.HindsightEntityView.as_view()),
    path(
        f"{BANK}/entities/<uuid:entity_id>/regenerate",
        NotServedView.as_view(sentence="Made anew at POST /v1/banks/{bank_id}/observations/refresh."),
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
    path(f"{MODEL}/dry-run-refresh", NotServedView.as_view(sentence="A refresh can't be tried without storing it.")),
    path(f"{BANK}/audit-logs", audit_logs.HindsightAuditLogsView.as_view()),
    path(f"{BANK}/audit-logs/stats", audit_logs.HindsightAuditStatsView.as_view()),
    path(f"{BANK}/audit-logs/<uuid:log_id>", audit_logs.HindsightAuditLogView.as_view()),
    path(f"{BANK}/webhooks", webhooks.HindsightWebhooksView.as_view()),
    path(f"{BANK}/webhooks/<uuid:webhook_id>", webhooks.HindsightWebhookView.as_view()),
    path(f"{BANK}/webhooks/<uuid:webhook_id>/deliveries", webhooks.HindsightDeliveriesView.as_view()),
    path(f"{BANK}/transfer/export", transfer.HindsightExportView.as_view()),
    path(f"{BANK}/transfer/import", transfer.HindsightImportView.as_view()),
    path(f"{BANK}/clone", transfer.HindsightCloneView.as_view()),
    path("files/download/<path:key>", transfer.HindsightDownloadView.as_view()),
    *(path(f"{BANK}/{name}", NotServedView.as_view(sentence=sentence)) for name, sentence in NOT_SERVED.items()),
    *(
        path(f"{BANK}/{name}/<path:rest>", NotServedView.as_view(sentence=sentence))
        for name, sentence in NOT_SERVED.items()
    ),
]

urlpatterns = share_routes(THEIRS, ROUTES)
