from django.urls import path

from memoryplatform.api.compat.openai.chat_completions import ChatCompletionsView, ModelsView, ModelView

# Each also below a bank, for programs that can set a base URL and no header.
urlpatterns = [
    path("chat/completions", ChatCompletionsView.as_view()),
    path("models", ModelsView.as_view()),
    path("models/<path:model>", ModelView.as_view()),
    path("banks/<str:bank_id>/chat/completions", ChatCompletionsView.as_view()),
    path("banks/<str:bank_id>/models", ModelsView.as_view()),
    path("banks/<str:bank_id>/models/<path:model>", ModelView.as_view()),
]
