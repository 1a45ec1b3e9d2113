from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularRedocView, SpectacularSwaggerView

from memoryplatform.api.v1 import archive, banks, entities, memories, operations

urlpatterns = [
    path("banks", banks.BanksView.as_view()),
    path("banks/<str:bank_id>", banks.BankView.as_view()),
    path("banks/<str:bank_id>/memories", memories.MemoriesView.as_view()),
    path("banks/<str:bank_id>/memories/<uuid:memory_id>", memories.MemoryView.as_view()),
    path("banks/<str:bank_id>/messages", archive.MessagesView.as_view()),
    path("banks/<str:bank_id>/episodes", archive.EpisodesView.as_view()),
    path("banks/<str:bank_id>/documents", archive.DocumentsView.as_view()),
    path("banks/<str:bank_id>/entities", entities.EntitiesView.as_view()),
    path("banks/<str:bank_id>/relationships", entities.RelationshipsView.as_view()),
    path("operations", operations.OperationsView.as_view()),
    path("operations/<uuid:operation_id>", operations.OperationView.as_view()),
    path("operations/<uuid:operation_id>/cancel", operations.CancelView.as_view()),
    path("operations/<uuid:operation_id>/retry", operations.RetryView.as_view()),
    path("openapi.json", SpectacularAPIView.as_view(), name="openapi"),
    path("docs", SpectacularSwaggerView.as_view(url_name="openapi"), name="docs"),
    path("redoc", SpectacularRedocView.as_view(url_name="openapi", template_name="redoc.html"), name="redoc"),
]
