"""Who stands to whom or to what, since when and until when, in the wordings that are common and clear."""
