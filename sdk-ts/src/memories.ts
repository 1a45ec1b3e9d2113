/** Memories, and the archive that they come from. */
import { UnusableFilter } from "./errors.js";
import { Resource } from "./resource.js";
import type { Body, CallOptions, Query } from "./types.js";

export class Memories extends Resource {
  list(bankId: string, query?: Query<"list_memories">, options?: CallOptions) {
    return this.pages("list_memories", [bankId], query, options);
  }

  graph(bankId: string, query?: Query<"get_graph">, options?: CallOptions) {
    return this.call("get_graph", [bankId], { ...options, query });
  }

  get(bankId: string, memoryId: string, options?: CallOptions) {
    return this.call("get_memory", [bankId, memoryId], options);
  }

  edit(bankId: string, memoryId: string, body: Body<"edit_memory">, options?: CallOptions) {
    return this.call("edit_memory", [bankId, memoryId], { ...options, body });
  }

  /** Closes the memory. It stays visible in queries about the past. */
  invalidate(bankId: string, memoryId: string, body: Body<"invalidate_memory"> = {}, options?: CallOptions) {
    return this.call("invalidate_memory", [bankId, memoryId], { ...options, body });
  }

  restore(bankId: string, memoryId: string, body: Body<"restore_memory"> = {}, options?: CallOptions) {
    return this.call("restore_memory", [bankId, memoryId], { ...options, body });
  }

  history(bankId: string, memoryId: string, query?: Query<"get_memory_history">, options?: CallOptions) {
    return this.call("get_memory_history", [bankId, memoryId], { ...options, query });
  }

  /** Deletes the memory for good, with everything that rests on it alone. */
  delete(bankId: string, memoryId: string, query?: Query<"delete_memory">, options?: CallOptions) {
    return this.call("delete_memory", [bankId, memoryId], { ...options, query });
  }

  /** Deletes the memories that match the filter; without a filter, every current memory of the bank. */
  clear(bankId: string, query?: Query<"clear_memories">, options?: CallOptions) {
    checkFilters(query ?? {});
    return this.call("clear_memories", [bankId], { ...options, query });
  }
}

export class Messages extends Resource {
  list(bankId: string, query?: Query<"list_messages">, options?: CallOptions) {
    return this.pages("list_messages", [bankId], query, options);
  }

  get(bankId: string, messageId: string, options?: CallOptions) {
    return this.call("get_message", [bankId, messageId], options);
  }
}

export class Episodes extends Resource {
  list(bankId: string, query?: Query<"list_episodes">, options?: CallOptions) {
    return this.pages("list_episodes", [bankId], query, options);
  }

  get(bankId: string, episodeId: string, options?: CallOptions) {
    return this.call("get_episode", [bankId, episodeId], options);
  }
}

export class Documents extends Resource {
  list(bankId: string, query?: Query<"list_documents">, options?: CallOptions) {
    return this.pages("list_documents", [bankId], query, options);
  }

  get(bankId: string, documentId: string, options?: CallOptions) {
    return this.call("get_document", [bankId, documentId], options);
  }

  delete(bankId: string, documentId: string, options?: CallOptions) {
    return this.call("delete_document", [bankId, documentId], options);
  }

  chunks(bankId: string, documentId: string, query?: Query<"list_chunks">, options?: CallOptions) {
    return this.pages("list_chunks", [bankId, documentId], query, options);
  }

  chunk(bankId: string, chunkId: string, options?: CallOptions) {
    return this.call("get_chunk", [bankId, chunkId], options);
  }
}

export class Entities extends Resource {
  list(bankId: string, query?: Query<"list_entities">, options?: CallOptions) {
    return this.pages("list_entities", [bankId], query, options);
  }

  graph(bankId: string, query?: Query<"get_entity_graph">, options?: CallOptions) {
    return this.call("get_entity_graph", [bankId], { ...options, query });
  }

  get(bankId: string, entityId: string, options?: CallOptions) {
    return this.call("get_entity", [bankId, entityId], options);
  }

  update(bankId: string, entityId: string, body: Body<"change_entity">, options?: CallOptions) {
    return this.call("change_entity", [bankId, entityId], { ...options, body });
  }

  merge(bankId: string, entityId: string, body: Body<"merge_entities">, options?: CallOptions) {
    return this.call("merge_entities", [bankId, entityId], { ...options, body });
  }

  split(bankId: string, entityId: string, body: Body<"split_entity">, options?: CallOptions) {
    return this.call("split_entity", [bankId, entityId], { ...options, body });
  }
}

export class Relationships extends Resource {
  list(bankId: string, query?: Query<"list_relationships">, options?: CallOptions) {
    return this.pages("list_relationships", [bankId], query, options);
  }
}

export class Opinions extends Resource {
  list(bankId: string, query?: Query<"list_opinions">, options?: CallOptions) {
    return this.pages("list_opinions", [bankId], query, options);
  }

  get(bankId: string, opinionId: string, query?: Query<"get_opinion">, options?: CallOptions) {
    return this.call("get_opinion", [bankId, opinionId], { ...options, query });
  }

  revisions(bankId: string, opinionId: string, query?: Query<"list_opinion_revisions">, options?: CallOptions) {
    return this.pages("list_opinion_revisions", [bankId, opinionId], query, options);
  }

  review(bankId: string, opinionId: string, body: Body<"review_opinion">, options?: CallOptions) {
    return this.call("review_opinion", [bankId, opinionId], { ...options, body });
  }
}

export class Observations extends Resource {
  list(bankId: string, query?: Query<"list_observations">, options?: CallOptions) {
    return this.pages("list_observations", [bankId], query, options);
  }

  refresh(bankId: string, body: Body<"refresh_observations"> = {}, options?: CallOptions) {
    return this.call("refresh_observations", [bankId], { ...options, body });
  }
}

export class Quarantine extends Resource {
  list(bankId: string, query?: Query<"list_quarantine">, options?: CallOptions) {
    return this.pages("list_quarantine", [bankId], query, options);
  }

  release(bankId: string, itemId: string, options?: CallOptions) {
    return this.call("release_quarantined_item", [bankId, itemId], options);
  }

  delete(bankId: string, itemId: string, options?: CallOptions) {
    return this.call("delete_quarantined_item", [bankId, itemId], options);
  }
}

export class Recalls extends Resource {
  list(bankId: string, query?: Query<"list_recalls">, options?: CallOptions) {
    return this.pages("list_recalls", [bankId], query, options);
  }

  get(bankId: string, recallId: string, options?: CallOptions) {
    return this.call("get_recall", [bankId, recallId], options);
  }
}

export class Feedback extends Resource {
  give(bankId: string, body: Body<"give_feedback">, options?: CallOptions) {
    return this.call("give_feedback", [bankId], { ...options, body });
  }

  list(bankId: string, query?: Query<"list_feedback">, options?: CallOptions) {
    return this.pages("list_feedback", [bankId], query, options);
  }
}

/** An empty list or an undefined value would not be sent at all, and the deletion would match everything. */
function checkFilters(query: object): void {
  const empty = Object.entries(query).filter(([, value]) => {
    const entries = Array.isArray(value) ? value : [value];
    return !entries.length || entries.some((one) => one === undefined || one === null || one === "");
  });
  if (empty.length) throw new UnusableFilter(empty.map(([name]) => name));
}
