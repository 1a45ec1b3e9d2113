// The client without a service: retries, addresses, and both module systems.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import {
  ConnectionFailed,
  MemoryClient,
  RequestTimedOut,
  ServerError,
  UnusableFilter,
  UnusableHeader,
  UnusableId,
} from "memoryplatform-client";

const fast = { firstWaitMs: 1 };

/** A client whose network answers with these responses, or fails with these errors, in turn. */
function script(...outcomes) {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url: String(url), ...init });
    const next = outcomes.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  return { client: new MemoryClient("http://service/", { apiKey: " mpk_key\n", retry: fast, fetch }), sent };
}

function answer(status, body, headers = {}) {
  return new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
}

const busy = () => answer(503, { code: "bank_busy", detail: "Busy.", request_id: "r" });

test("a POST is repeated with the same idempotency key", async () => {
  const { client, sent } = script(busy(), new TypeError("fetch failed"), answer(201, { bank_id: "a" }));
  assert.equal((await client.banks.create()).bank_id, "a");
  const keys = new Set(sent.map((one) => one.headers["Idempotency-Key"]));
  assert.deepEqual([sent.length, keys.size], [3, 1]);
  assert.equal(sent[0].headers.Authorization, "Bearer mpk_key");
});

test("a PATCH that may have been performed is not repeated", async () => {
  const { client, sent } = script(new TypeError("fetch failed"));
  await assert.rejects(client.banks.update("a", { name: "b" }), ConnectionFailed);
  assert.equal(sent.length, 1);
});

test("a request that was turned away is repeated after the wait that the service names", async () => {
  const { client, sent } = script(answer(429, { code: "rate_limited" }, { "Retry-After": "0" }), answer(200, {}));
  await client.banks.update("a", { name: "b" });
  assert.equal(sent.length, 2);
});

test("a wait of more than the longest one ends the attempts", async () => {
  const { client, sent } = script(answer(429, { code: "rate_limited" }, { "Retry-After": "3600" }));
  await assert.rejects(client.banks.get("a"), { name: "RateLimited", retryAfter: 3600 });
  assert.equal(sent.length, 1);
});

test("an error page of a proxy is a server error", async () => {
  const { client } = script(...Array.from({ length: 4 }, () => new Response("<html>", { status: 502 })));
  await assert.rejects(client.banks.get("a"), ServerError);
});

test("a time limit and an abort end a request", async () => {
  const hang = (_url, { signal }) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const client = new MemoryClient("http://service", { apiKey: "k", timeoutMs: 5, retry: { attempts: 1 }, fetch: hang });
  const alive = setInterval(() => undefined, 100); // the timer of AbortSignal.timeout keeps no process alive
  try {
    await assert.rejects(client.banks.get("a"), RequestTimedOut);
    await assert.rejects(client.banks.get("a", { signal: AbortSignal.abort(new Error("left")) }), /left/);
  } finally {
    clearInterval(alive);
  }
});

test("ids, keys and filters that would do harm are refused before anything is sent", () => {
  const { client, sent } = script();
  const refused = [
    [() => client.banks.get(".."), UnusableId],
    [() => client.banks.get(""), UnusableId],
    [() => client.memories.get("a", "b/c"), UnusableId],
    [() => client.documents.get("a", "notes/../x"), UnusableId],
    [() => client.banks.get("a", { ifMatch: "ü" }), UnusableHeader],
  ];
  const checks = refused.map(([call, kind]) => assert.rejects(async () => call(), kind));
  assert.throws(() => client.memories.clear("a", { tags: [] }), UnusableFilter);
  assert.throws(() => new MemoryClient("http://service", { apiKey: "" }), UnusableHeader);
  return Promise.all(checks).then(() => assert.equal(sent.length, 0));
});

test("names are encoded and lists repeat their parameter", async () => {
  const { client, sent } = script(answer(200, { items: [], total: 0 }));
  await client.memories.list("a?b", { tags: ["x", "y&z"], limit: 5 }).first();
  assert.equal(sent[0].url, "http://service/v1/banks/a%3Fb/memories?tags=x&tags=y%26z&limit=5");
});

test("a stream that breaks off raises, and an error in it has its class", async () => {
  const stream = (text) => new Response(text, { headers: { "Content-Type": "text/event-stream" } });
  const started = 'event: started\ndata: {"engine":"llm","model":"m"}\n\n';
  const read = async (client) => {
    for await (const _ of client.streamReflect("a", "?"));
  };
  await assert.rejects(read(script(stream(started)).client), ConnectionFailed);
  const failed = `${started}: still working\n\nevent: error\ndata: {"code":"model_timeout","detail":"Late."}\n\n`;
  await assert.rejects(read(script(stream(failed)).client), { name: "ModelTimedOut", statusCode: 504 });
});

test("CommonJS and ESM export the same names", () => {
  const required = createRequire(import.meta.url)("memoryplatform-client");
  return import("memoryplatform-client").then((imported) => {
    assert.deepEqual(Object.keys(required).filter((name) => name !== "__esModule").sort(), Object.keys(imported).sort());
  });
});

test("a file is loaded in parts, after the lines that arrived before", async () => {
  const { client, sent } = script(...[3, 4, null].map((next_line) => answer(200, { next_line })));
  const long = "x".repeat(600_000);
  await client.transfer.load("b", `header\r\narrived\n${long}\n${long}\n`);
  assert.deepEqual(sent.map((one) => new URL(one.url).searchParams.get("first_line")), ["1", "3", "4"]);
  assert.deepEqual(sent.map((one) => one.body), ["header\n", `${long}\n`, `${long}\n`]);
  assert.ok(sent.every((one) => one.headers["Content-Type"] === "application/x-ndjson"));
});

test("every operation of the API has a method", () => {
  const read = (name) => readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8");
  const written = ["account", "banks", "client", "memories", "operations"].map(read).join();
  const names = [...read("routes").matchAll(/^ {2}(\w+): \[/gm)].map((found) => found[1]);
  const left = names.filter((name) => !written.includes(`"${name}"`));
  assert.deepEqual(left, ["list_memories_of_bank"]); // another address of list_memories
});
