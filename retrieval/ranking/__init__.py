"""From the lists of the channels to one order: fused, reranked, and weighed by what each memory is."""
