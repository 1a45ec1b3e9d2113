from django.urls import path

from memoryplatform.api.compat.mem0 import (
    entities,
    events,
    exports,
    memories,
    memory,
    overview,
    profiles,
    project,
    search,
    webhooks,
)
from memoryplatform.api.compat.mem0.mem0_view import Mem0NotServedView

# Path prefixes that answer 501, with the sentence of the response.
NOT_SERVED = {
    "api/v1/orgs": "The operator of the service manages organisations and projects.",
}

PROJECT = "api/v1/orgs/organizations/<str:org_id>/projects/<str:project_id>/"
ENTITY = "entities/<str:kind>/<path:name>/"

urlpatterns = [
    path("v1/ping/", project.PingView.as_view()),
    path("v1/memories/", memories.MemoriesV1View.as_view()),
    path("v2/memories/", memories.MemoriesV2View.as_view()),
    path("v3/memories/", memories.MemoriesV3View.as_view()),
    path("v3/memories/add/", memories.AddView.as_view()),
    path("v1/memories/search/", search.SearchView.as_view(flat_ids=True, threshold=0.0, is_wrapped=False)),
    path("v2/memories/search/", search.SearchView.as_view(flat_ids=True, threshold=0.3, is_wrapped=False)),
    path("v3/memories/search/", search.SearchView.as_view()),
    path("v1/memories/<str:memory_id>/", memory.MemoryView.as_view()),
    path("v1/memories/<str:memory_id>/history/", memory.MemoryHistoryView.as_view()),
    path("v1/batch/", memory.BatchView.as_view()),
    path("v1/entities/", entities.EntitiesView.as_view()),
    path("v2/entities/<str:kind>/<path:name>/profile/", profiles.ProfileView.as_view()),
    path("v2/profiles/jobs/", profiles.JobsView.as_view()),
    path("v2/profiles/jobs/<uuid:job_id>/", profiles.JobView.as_view()),
    path("v2/profiles/settings/", profiles.SettingsView.as_view()),
    path("v1/stats/", overview.StatsView.as_view()),
    path("v1/summary/", overview.SummaryView.as_view()),
    path(f"v1/{ENTITY}", entities.EntityView.as_view()),
    path(f"v2/{ENTITY}", entities.EntityView.as_view()),
    path("v1/events/", events.EventsView.as_view()),
    path("v1/event/<str:event_id>/", events.EventView.as_view()),
    path("v1/exports/", exports.ExportsView.as_view()),
    path("v1/exports/get/", exports.ExportResultView.as_view()),
    path("v1/feedback/", memory.FeedbackView.as_view()),
    path("api/v1/webhooks/projects/<str:project_id>/", webhooks.WebhooksView.as_view()),
    path("api/v1/webhooks/<uuid:webhook_id>/", webhooks.WebhookView.as_view()),
    path(PROJECT, project.ProjectView.as_view()),
    path(f"{PROJECT}members/", project.MembersView.as_view()),
    *(path(f"{name}/", Mem0NotServedView.as_view(sentence=sentence)) for name, sentence in NOT_SERVED.items()),
    *(
        path(f"{name}/<path:rest>", Mem0NotServedView.as_view(sentence=sentence))
        for name, sentence in NOT_SERVED.items()
    ),
]
