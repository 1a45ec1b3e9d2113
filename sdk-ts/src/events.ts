/** The events of a streamed reflect. */
import { buildError, ConnectionFailed, LATE_STATUS } from "./errors.js";
import type { FieldFault } from "./errors.js";
import type { Schemas } from "./types.js";

export interface ReflectEvents {
  started: { engine: string; model: string };
  memories: { memories: Schemas["BasisOutput"][] };
  delta: { text: string };
  citation: Schemas["CitationOutput"];
  opinions: { opinions: Schemas["FormedOpinionOutput"][] };
  done: Schemas["ReflectOutput"];
}
/** `event` names the kind, and `data` is as the API sends it. */
export type ReflectEvent = { [K in keyof ReflectEvents]: { event: K; data: ReflectEvents[K] } }[keyof ReflectEvents];

/** Ending the iteration early ends the request. A stream without `done` raises ConnectionFailed. */
export async function* readEvents(response: Response): AsyncGenerator<ReflectEvent> {
  let isDone = false;
  for await (const [event, text] of readFrames(response)) {
    const data: unknown = JSON.parse(text);
    if (event === "error") throw buildLateError(data as Record<string, unknown>, response);
    isDone = event === "done";
    yield { event, data } as ReflectEvent;
  }
  if (!isDone) throw new ConnectionFailed("The stream ended before the answer was complete.");
}

async function* readFrames(response: Response): AsyncGenerator<[string, string]> {
  let held = "";
  for await (const piece of readTexts(response)) {
    const frames = (held + piece).split("\n\n");
    held = frames.pop() ?? "";
    for (const frame of frames) {
      const lines = frame.split("\n").filter((line) => !line.startsWith(":"));
      const event = lines.find((line) => line.startsWith("event: "))?.slice(7);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (event !== undefined && data !== undefined) yield [event, data];
    }
  }
}

async function* readTexts(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ConnectionFailed("The stream broke off.", { cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function buildLateError(body: Record<string, unknown>, response: Response) {
  const code = String(body.code ?? "");
  return buildError({
    statusCode: LATE_STATUS[code] ?? 500,
    code,
    detail: String(body.detail ?? "No reason was given."),
    requestId: String(body.request_id ?? response.headers.get("X-Request-ID") ?? ""),
    errors: Array.isArray(body.errors) ? (body.errors as FieldFault[]) : [],
  });
}
