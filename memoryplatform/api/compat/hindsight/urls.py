from django.urls import path

from memoryplatform.api.compat.hindsight import (
    bank_config,
    bank_stats,
    banks,
    documents,
    entities,
    graph,
    memories,
    memory,
    operations,
    recall,
    reflect,
    tags,
)
from memoryplatform.api.compat.hindsight.not_served import NotServedView

# What stands behind /banks/{bank_id}/, whatever follows it, and the sentence that it is answered with.
NOT_SERVED = {
    "aliases": "Banks have one id here, no aliases.",
    "attachments": "This service keeps no attachments.",
    "audit-logs": "The audit log is not shown over this interface yet.",
    "background": "A background is merged at POST /v1/banks/{bank_id}/background.",
    "clone": "Banks can't be cloned yet.",
    "consolidate": "Observations follow their facts by themselves; POST /v1/banks/{bank_id}/observations/refresh.",
    "consolidation": "A failed operation is retried at POST .../operations/{operation_id}/retry.",
    "consolidation-strategies": "Observations follow their facts here; there are no strategies to preview.",
    "directives": "Directives are not supported yet.",
    "document-transfer": "Documents can't be exported or imported yet.",
    "export": "Banks can't be exported yet.",
    "files": "Files can't be retained yet: send their text.",
    "health": "The state of the service stands at /health/ready.",
    "import": "Banks can't be imported yet.",
    "knowledge-base": "Knowledge pages are not supported yet.",
    "llm-requests": "Requests to language models are not shown here.",
    "mental-models": "Mental models are not supported yet.",
    "observations": "Observations are listed at GET /v1/banks/{bank_id}/observations; they can't be cleared apart.",
    "prompts": "Prompts can't be previewed.",
    "transfer": "Banks can't be exported or imported yet.",
    "webhooks": "Webhooks are not supported yet.",
}


BANK = "banks/<str:bank_id>"
DOCUMENT = f"{BANK}/documents/<path:document_id>"
OPERATION = f"{BANK}/operations/<str:operation_id>"

urlpatterns = [
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
    path(
        f"{BANK}/memories/<uuid:memory_id>/observations",
        NotServedView.as_view(sentence="Observations follow their facts; they can't be cleared apart."),
    ),
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
    path("files/download/<path:key>", NotServedView.as_view(sentence="This service keeps no files.")),
    *(path(f"{BANK}/{name}", NotServedView.as_view(sentence=sentence)) for name, sentence in NOT_SERVED.items()),
    *(
        path(f"{BANK}/{name}/<path:rest>", NotServedView.as_view(sentence=sentence))
        for name, sentence in NOT_SERVED.items()
    ),
]
