/** Banks and their profile. */
import { Resource } from "./resource.js";
import type { Body, CallOptions, Query } from "./types.js";

export class Banks extends Resource {
  /** Without a `bank_id` the service generates one. */
  create(body: Body<"create_bank"> = {}, options?: CallOptions) {
    return this.call("create_bank", [], { ...options, body });
  }

  get(bankId: string, options?: CallOptions) {
    return this.call("get_bank", [bankId], options);
  }

  list(query?: Query<"list_banks">, options?: CallOptions) {
    return this.pages("list_banks", [], query, options, "banks");
  }

  update(bankId: string, body: Body<"change_bank">, options?: CallOptions) {
    return this.call("change_bank", [bankId], { ...options, body });
  }

  /** Deletes the bank for good. */
  delete(bankId: string, options?: CallOptions) {
    return this.call("delete_bank", [bankId], options);
  }

  /** Runs the bank's nightly maintenance now. */
  runMaintenance(bankId: string, options?: CallOptions) {
    return this.call("tend_bank", [bankId], options);
  }

  stats(bankId: string, options?: CallOptions) {
    return this.call("get_bank_stats", [bankId], options);
  }

  timeseries(bankId: string, query?: Query<"get_memories_timeseries">, options?: CallOptions) {
    return this.call("get_memories_timeseries", [bankId], { ...options, query });
  }

  config(bankId: string, options?: CallOptions) {
    return this.call("get_bank_config", [bankId], options);
  }

  updateConfig(bankId: string, body: Body<"change_bank_config">, options?: CallOptions) {
    return this.call("change_bank_config", [bankId], { ...options, body });
  }

  resetConfig(bankId: string, options?: CallOptions) {
    return this.call("reset_bank_config", [bankId], options);
  }

  embeddingModel(bankId: string, options?: CallOptions) {
    return this.call("get_embedding_model", [bankId], options);
  }

  changeEmbeddingModel(bankId: string, body: Body<"change_embedding_model">, options?: CallOptions) {
    return this.call("change_embedding_model", [bankId], { ...options, body });
  }

  abandonEmbeddingModel(bankId: string, options?: CallOptions) {
    return this.call("abandon_embedding_model", [bankId], options);
  }

  switchEmbeddingModel(bankId: string, options?: CallOptions) {
    return this.call("switch_embedding_model", [bankId], options);
  }

  rollBackEmbeddingModel(bankId: string, options?: CallOptions) {
    return this.call("roll_back_embedding_model", [bankId], options);
  }

  finishEmbeddingModel(bankId: string, options?: CallOptions) {
    return this.call("finish_embedding_model", [bankId], options);
  }
}

export class Background extends Resource {
  get(bankId: string, options?: CallOptions) {
    return this.call("get_background", [bankId], options);
  }

  merge(bankId: string, body: Body<"merge_background">, options?: CallOptions) {
    return this.call("merge_background", [bankId], { ...options, body });
  }

  revisions(bankId: string, query?: Query<"list_background_revisions">, options?: CallOptions) {
    return this.pages("list_background_revisions", [bankId], query, options);
  }
}

export class Directives extends Resource {
  create(bankId: string, body: Body<"create_directive">, options?: CallOptions) {
    return this.call("create_directive", [bankId], { ...options, body });
  }

  list(bankId: string, query?: Query<"list_directives">, options?: CallOptions) {
    return this.pages("list_directives", [bankId], query, options);
  }

  get(bankId: string, directiveId: string, options?: CallOptions) {
    return this.call("get_directive", [bankId, directiveId], options);
  }

  update(bankId: string, directiveId: string, body: Body<"change_directive">, options?: CallOptions) {
    return this.call("change_directive", [bankId, directiveId], { ...options, body });
  }

  delete(bankId: string, directiveId: string, options?: CallOptions) {
    return this.call("delete_directive", [bankId, directiveId], options);
  }
}

export class MentalModels extends Resource {
  create(bankId: string, body: Body<"create_mental_model">, options?: CallOptions) {
    return this.call("create_mental_model", [bankId], { ...options, body });
  }

  list(bankId: string, query?: Query<"list_mental_models">, options?: CallOptions) {
    return this.pages("list_mental_models", [bankId], query, options);
  }

  get(bankId: string, modelId: string, options?: CallOptions) {
    return this.call("get_mental_model", [bankId, modelId], options);
  }

  update(bankId: string, modelId: string, body: Body<"change_mental_model">, options?: CallOptions) {
    return this.call("change_mental_model", [bankId, modelId], { ...options, body });
  }

  delete(bankId: string, modelId: string, options?: CallOptions) {
    return this.call("delete_mental_model", [bankId, modelId], options);
  }

  refresh(bankId: string, modelId: string, body: Body<"refresh_mental_model"> = {}, options?: CallOptions) {
    return this.call("refresh_mental_model", [bankId, modelId], { ...options, body });
  }

  clear(bankId: string, modelId: string, options?: CallOptions) {
    return this.call("clear_mental_model", [bankId, modelId], options);
  }

  revisions(bankId: string, modelId: string, query?: Query<"list_mental_model_revisions">, options?: CallOptions) {
    return this.pages("list_mental_model_revisions", [bankId, modelId], query, options);
  }
}

export class RetentionRules extends Resource {
  create(bankId: string, body: Body<"create_retention_rule">, options?: CallOptions) {
    return this.call("create_retention_rule", [bankId], { ...options, body });
  }

  list(bankId: string, query?: Query<"list_retention_rules">, options?: CallOptions) {
    return this.pages("list_retention_rules", [bankId], query, options);
  }

  get(bankId: string, ruleId: string, options?: CallOptions) {
    return this.call("get_retention_rule", [bankId, ruleId], options);
  }

  update(bankId: string, ruleId: string, body: Body<"change_retention_rule">, options?: CallOptions) {
    return this.call("change_retention_rule", [bankId, ruleId], { ...options, body });
  }

  delete(bankId: string, ruleId: string, options?: CallOptions) {
    return this.call("delete_retention_rule", [bankId, ruleId], options);
  }
}

export class Tags extends Resource {
  list(bankId: string, query?: Query<"list_tags">, options?: CallOptions) {
    return this.pages("list_tags", [bankId], query, options);
  }
}
