from django.urls import path

from memoryplatform.api.compat.hindsight import memories, recall

urlpatterns = [
    path("banks/<str:bank_id>/memories", memories.PeerMemoriesView.as_view()),
    path("banks/<str:bank_id>/memories/list", memories.PeerMemoryListView.as_view()),
    path("banks/<str:bank_id>/memories/recall", recall.PeerRecallView.as_view()),
]
