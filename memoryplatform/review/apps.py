from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "memoryplatform.review"
    label = "review"
