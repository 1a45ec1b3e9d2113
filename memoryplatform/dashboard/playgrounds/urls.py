from django.urls import path

from memoryplatform.dashboard.playgrounds import chat, recall, reflect

BANK = "dashboard/banks/<str:bank_id>"
urlpatterns = [
    path(f"{BANK}/recall/", recall.recall_playground, name="recall_playground"),
    path(f"{BANK}/reflect/", reflect.reflect_playground, name="reflect_playground"),
    path(f"{BANK}/reflect/stream/", reflect.stream_reflection, name="stream_reflection"),
    path(f"{BANK}/chat/", chat.chat, name="chat"),
    path(f"{BANK}/chat/say/", chat.say, name="say"),
    path(f"{BANK}/chat/retained/<uuid:operation_id>/", chat.retained, name="retained"),
]
