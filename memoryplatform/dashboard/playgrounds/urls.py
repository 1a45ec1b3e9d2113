from django.urls import path

from memoryplatform.dashboard.playgrounds import recall

BANK = "dashboard/banks/<str:bank_id>"
urlpatterns = [
    path(f"{BANK}/recall/", recall.recall_playground, name="recall_playground"),
]
