from rest_framework import serializers

from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.tag_conditions import MATCHES


class TagFilterInput(Input):
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(
        choices=MATCHES,
        default="any",
        help_text="any and all let memories without a tag pass; the strict forms don't. exact without tags finds those "
        "that have none.",
    )
