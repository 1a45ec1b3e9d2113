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

PEERS = [
    path("banks", banks.PeerBanksView.as_view()),
    path(BANK, banks.PeerBankView.as_view()),
    path(f"{BANK}/profile", banks.PeerProfileView.as_view()),
    path(f"{BANK}/config", bank_config.PeerConfigView.as_view()),
    path(f"{BANK}/stats", bank_stats.PeerStatsView.as_view()),
    path(f"{BANK}/stats/memories-timeseries", bank_stats.PeerTimeseriesView.as_view()),
    path(f"{BANK}/memories", memories.PeerMemoriesView.as_view()),
    path(f"{BANK}/memories/list", memories.PeerMemoryListView.as_view()),
    path(f"{BANK}/memories/recall", recall.PeerRecallView.as_view()),
    path(
        f"{BANK}/memories/dry-run-extract",
        NotServedView.as_view(sentence="An extraction can't be tried without storing it."),
    ),
    path(f"{BANK}/memories/<uuid:memory_id>", memory.PeerMemoryView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>/history", memory.PeerMemoryHistoryView.as_view()),
    path(f"{BANK}/memories/<uuid:memory_id>/observations", consolidation.PeerMemoryObservationsView.as_view()),
    path(f"{BANK}/consolidate", consolidation.PeerConsolidateView.as_view()),
    path(f"{BANK}/observations", consolidation.PeerObservationsView.as_view()),
    path(f"{BANK}/observations/scopes", consolidation.PeerScopesView.as_view()),
    path(f"{BANK}/background", background.PeerBackgroundView.as_view()),
    path(f"{BANK}/export", templates.PeerTemplateExportView.as_view()),
    path(f"{BANK}/import", templates.PeerTemplateImportView.as_view()),
    path(f"{BANK}/reflect", reflect.PeerReflectView.as_view()),
    path(f"{BANK}/graph", graph.PeerGraphView.as_view()),
    path(f"{BANK}/tags", tags.PeerTagsView.as_view()),
    path(f"{BANK}/documents", documents.PeerDocumentsView.as_view()),
    # an id may hold slashes, so what stands behind one is looked for first
    path(f"{DOCUMENT}/chunks", documents.PeerDocumentChunksView.as_view()),
    path(f"{DOCUMENT}/history", NotServedView.as_view(sentence="Former versions of a document are not kept.")),
    path(f"{DOCUMENT}/reprocess", NotServedView.as_view(sentence="To read a document again, retain it again.")),
    path(DOCUMENT, documents.PeerDocumentView.as_view()),
    path("chunks/<uuid:chunk_id>", documents.PeerChunkView.as_view()),
    path(f"{BANK}/entities", entities.PeerEntitiesView.as_view()),
    path(f"{BANK}/entities/graph", entities.PeerEntityGraphView.as_view()),
    path(f"{BANK}/entities/<uuid:entity_id>", entities.PeerEntityView.as_view()),
    path(
        f"{BANK}/entities/<uuid:entity_id>/regenerate",
        NotServedView.as_view(sentence="Made anew at POST /v1/banks/{bank_id}/observations/refresh."),
    ),
    path(f"{BANK}/operations", operations.PeerOperationsView.as_view()),
    path(OPERATION, operations.PeerOperationView.as_view()),
    path(f"{OPERATION}/retry", operations.PeerRetryView.as_view()),
    path(f"{OPERATION}/delete", operations.PeerOperationDeletionView.as_view()),
    path(f"{BANK}/directives", directives.PeerDirectivesView.as_view()),
    path(f"{BANK}/directives/<uuid:directive_id>", directives.PeerDirectiveView.as_view()),
    path(f"{BANK}/mental-models", mental_models.PeerMentalModelsView.as_view()),
    path(MODEL, mental_models.PeerMentalModelView.as_view()),
    path(f"{MODEL}/refresh", mental_models.PeerModelRefreshView.as_view()),
    path(f"{MODEL}/clear", mental_models.PeerModelClearView.as_view()),
    path(f"{MODEL}/history", mental_models.PeerModelHistoryView.as_view()),
    path(f"{MODEL}/dry-run-refresh", NotServedView.as_view(sentence="A refresh can't be tried without storing it.")),
    path(f"{BANK}/audit-logs", audit_logs.PeerAuditLogsView.as_view()),
    path(f"{BANK}/audit-logs/stats", audit_logs.PeerAuditStatsView.as_view()),
    path(f"{BANK}/audit-logs/<uuid:log_id>", audit_logs.PeerAuditLogView.as_view()),
    path(f"{BANK}/webhooks", webhooks.PeerWebhooksView.as_view()),
    path(f"{BANK}/webhooks/<uuid:webhook_id>", webhooks.PeerWebhookView.as_view()),
    path(f"{BANK}/webhooks/<uuid:webhook_id>/deliveries", webhooks.PeerDeliveriesView.as_view()),
    path(f"{BANK}/transfer/export", transfer.PeerExportView.as_view()),
    path(f"{BANK}/transfer/import", transfer.PeerImportView.as_view()),
    path(f"{BANK}/clone", transfer.PeerCloneView.as_view()),
    path("files/download/<path:key>", transfer.PeerDownloadView.as_view()),
    *(path(f"{BANK}/{name}", NotServedView.as_view(sentence=sentence)) for name, sentence in NOT_SERVED.items()),
    *(
        path(f"{BANK}/{name}/<path:rest>", NotServedView.as_view(sentence=sentence))
        for name, sentence in NOT_SERVED.items()
    ),
]

urlpatterns = share_routes(PEERS, ROUTES)
