"""What a reranker that takes instructions is told to look for, by the type of the question."""

from collections.abc import Mapping

from retrieval.types import QuestionType

INSTRUCTIONS: Mapping[QuestionType, str] = {
    QuestionType.FACTUAL: "Prefer passages that state the answer itself over passages that only touch the subject.",
    QuestionType.TEMPORAL: (
        "The question is about time. Prefer passages about the matter whose date, or a date in them, answers the "
        "question or lies in the time that it names."
    ),
    QuestionType.KNOWLEDGE_UPDATE: (
        "The question is about the present state. Of several passages about the same matter the one with the latest "
        "date is the best, and the older ones still matter."
    ),
    QuestionType.COUNTING: (
        "The answer is a count or a sum. Every passage that mentions one of the things to be counted is needed, also "
        "one that mentions it in passing."
    ),
    QuestionType.MULTI_HOP: (
        "The answer takes several passages together. A passage that gives one part of it, or that leads from one "
        "person or thing of the question to another, is as good as one that gives the end."
    ),
    QuestionType.PREFERENCE: (
        "The question asks for advice. Prefer passages that tell what the person likes, dislikes, owns, plans or has "
        "tried before, where it bears on the advice."
    ),
    QuestionType.ASSISTANT_RECALL: "The question is about what the assistant said. Prefer passages of the assistant's.",
}
