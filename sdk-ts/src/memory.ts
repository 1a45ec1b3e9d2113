/** The memory of one agent or user, in a handful of methods. */
import { MemoryClient } from "./client.js";
import { BankNotFound, OperationNotFound } from "./errors.js";
import type { WaitOptions } from "./operations.js";
import type { ClientOptions } from "./transport.js";
import type { Schemas } from "./types.js";

export type Message = Schemas["MessageInput"];
export type RecallResult = Schemas["RecallItemOutput"];
const TOKENS_A_RESULT = 400; // a recall cuts longer texts to the matching passage
const USUAL_TOKENS = 4_096;
const USUAL_RESULTS = 10;
const HEADINGS: [string | null, string][] = [
  ["world", "What is known"],
  ["experience", "What the agent did and saw"],
  ["observation", "In summary"],
  ["opinion", "What the agent believes"],
  [null, "From the conversations and documents"],
];

export interface MemoryOptions extends ClientOptions {
  bank: string;
  thread?: string;
}

export class Context {
  constructor(
    readonly query: string,
    readonly items: RecallResult[],
  ) {}

  /** Facts, opinions and raw text under separate headings, best first. Empty if nothing was found. */
  toPrompt(): string {
    const sections = HEADINGS.map(([network, heading]) => {
      const lines = this.items.filter((item) => item.type === network).map(describe);
      return lines.length ? `${heading}:\n${lines.join("\n")}` : "";
    });
    return sections.filter(Boolean).join("\n\n");
  }
}

/**
 * When `addMessage` resolves, the message is archived, and the service begins to extract its facts. `process` waits for
 * these facts; without it they appear a moment later.
 */
export class Memory {
  readonly client: MemoryClient;
  readonly bank: string;
  readonly thread: string;
  #pending: string[] = [];

  constructor(baseUrl: string, options: MemoryOptions) {
    this.client = new MemoryClient(baseUrl, options);
    this.bank = options.bank;
    this.thread = options.thread ?? "";
  }

  async addMessage(message: Message): Promise<void> {
    await this.#add([message]);
  }

  async addExchange(userMessage: string, assistantMessage: string): Promise<void> {
    await this.#add([
      { role: "user", content: userMessage },
      { role: "assistant", content: assistantMessage },
    ]);
  }

  /**
   * The relevant memories, at most `topK`, best first; with `fill` less relevant ones too. `atTime` shows what was true
   * then. Empty before the first message.
   */
  async retrieve(query: string, options: { topK?: number; atTime?: Date; fill?: boolean } = {}): Promise<Context> {
    const { topK = USUAL_RESULTS, atTime, fill = false } = options;
    if (topK < 1) throw new RangeError("topK must be at least 1.");
    const max_tokens = Math.max(USUAL_TOKENS, topK * TOKENS_A_RESULT);
    try {
      const as_of = atTime?.toISOString();
      const recalled = await this.client.recall(this.bank, query, {
        max_tokens,
        max_results: topK,
        fill,
        include: { details: {} },
        ...(as_of ? { as_of } : {}),
      });
      return new Context(query, recalled.results);
    } catch (error) {
      if (error instanceof BankNotFound) return new Context(query, []);
      throw error;
    }
  }

  /** Waits until the facts of all messages so far are stored. Returns the ids of the new memories. */
  async process(options?: WaitOptions): Promise<{ memoryIds: string[] }> {
    const memoryIds: string[] = [];
    while (this.#pending[0] !== undefined) {
      try {
        const done = await this.client.operations.wait(this.#pending[0], options);
        memoryIds.push(...(((done.result as { unit_ids?: string[] } | null)?.unit_ids) ?? []));
      } catch (error) {
        if (!(error instanceof OperationNotFound)) throw error; // its bank was deleted meanwhile
      }
      this.#pending.shift();
    }
    return { memoryIds };
  }

  async #add(messages: Message[]): Promise<void> {
    const retained = await this.client.retain(this.bank, { messages, thread: this.thread }, { wait: false });
    this.#pending.push(retained.operation_id);
  }
}

/** On one line, so that the text of a memory can't imitate a heading. */
function describe(item: RecallResult): string {
  const notes: string[] = [];
  if (item.confidence != null) notes.push(`confidence ${item.confidence.toFixed(2)}`);
  if (item.valid_until != null) notes.push(`${day(item.valid_from)} to ${day(item.valid_until)}`.trim());
  else if (item.occurred_start != null) notes.push(day(item.occurred_start));
  else notes.push(`said ${day(item.mentioned_at)}`);
  return `- ${item.text.split(/\s+/).join(" ").trim()} (${notes.join("; ")})`;
}

function day(time: string | null | undefined): string {
  return time?.slice(0, 10) ?? "";
}
