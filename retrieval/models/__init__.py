from retrieval.models.channel_weights import ChannelWeights
from retrieval.models.feedback import Feedback
from retrieval.models.recall_record import RecallRecord

__all__ = ["ChannelWeights", "Feedback", "RecallRecord"]
