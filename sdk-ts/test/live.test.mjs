// The client against a live service. MEMORYPLATFORM_URL and MEMORYPLATFORM_KEY name it; tests/sdk_ts starts one.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AlreadyExists,
  BankNotFound,
  Invalid,
  Memory,
  MemoryClient,
  PreconditionFailed,
  Unauthenticated,
} from "memoryplatform-client";

const url = process.env.MEMORYPLATFORM_URL;
const apiKey = process.env.MEMORYPLATFORM_KEY;
const client = new MemoryClient(url, { apiKey });
const TRAVELS = { messages: [{ role: "user", name: "Alice", content: "I moved to Lisbon in May." }], tags: ["people"] };

test("a bank is created, changed and listed", async () => {
  const bank = await client.banks.create({ bank_id: "ts-banks", name: "Nora" });
  assert.equal(bank.name, "Nora");
  assert.match(bank.etag, /^"/);
  await assert.rejects(client.banks.create({ bank_id: "ts-banks" }), AlreadyExists);
  const changed = await client.banks.update("ts-banks", { name: "Nora B." }, { ifMatch: bank.etag });
  assert.equal(changed.name, "Nora B.");
  await assert.rejects(client.banks.update("ts-banks", { name: "late" }, { ifMatch: bank.etag }), PreconditionFailed);
  const ids = (await client.banks.list().toArray()).map((one) => one.bank_id);
  assert.ok(ids.includes("ts-banks"));
});

test("a retained memory is recalled, edited and deleted", async () => {
  const retained = await client.retain("ts-memories", TRAVELS);
  assert.equal(retained.status, "completed");
  assert.equal(retained.unit_ids.length, 1);
  const recalled = await client.recall("ts-memories", "Where does Alice live?", { budget: "low", max_tokens: 500 });
  assert.match(recalled.results[0].text, /Lisbon/);
  const across = await client.recallAcross(["ts-memories"], "Where does Alice live?");
  assert.equal(across.results[0].bank_id, "ts-memories");
  const id = retained.unit_ids[0];
  const memory = await client.memories.get("ts-memories", id);
  const edited = await client.memories.edit("ts-memories", id, { text: "Alice lives in Lisbon." }, { ifMatch: memory.etag });
  assert.equal(edited.text, "Alice lives in Lisbon.");
  const closed = await client.memories.invalidate("ts-memories", id, { explanation: "She left." });
  assert.equal(closed.state, "invalidated");
  await client.memories.delete("ts-memories", id);
  assert.deepEqual(await client.memories.list("ts-memories", { state: "all" }).toArray(), []);
});

test("a large list is read page by page", async () => {
  const facts = Array.from({ length: 7 }, (_, place) => ({ content: `Bob keeps parrot number ${place} in Porto.` }));
  await client.retainBatch("ts-pages", facts);
  const list = client.memories.list("ts-pages", { limit: 3 });
  const first = await list.first();
  assert.equal(first.items.length, 3);
  const all = await list.toArray();
  assert.equal(new Set(all.map((one) => one.id)).size, first.total);
});

test("a retain that is not awaited is an operation", async () => {
  const accepted = await client.retain("ts-operations", "Frank plays chess.", { wait: false });
  const seen = [];
  const done = await client.operations.wait(accepted.operation_id, {
    timeoutMs: 60_000,
    onProgress: (one) => seen.push(one.status),
  });
  assert.equal(done.status, "completed");
  assert.equal(seen.at(-1), "completed");
});

test("a repeated idempotency key is performed once", async () => {
  const options = { idempotencyKey: "once-1" };
  const first = await client.retain("ts-once", "Eve paints.", options);
  const again = await client.retain("ts-once", "Eve paints.", options);
  assert.equal(again.operation_id, first.operation_id);
});

test("a dry run stores nothing", async () => {
  const tried = await client.dryRun("ts-memories", "Gina lives in Oslo.");
  assert.match(tried.items[0].facts[0].text, /Oslo/);
  assert.deepEqual(await client.memories.list("ts-memories", { q: "Oslo" }).toArray(), []);
});

test("a reflect answers with citations, whole and as a stream", async () => {
  await client.retain("ts-reflect", "Dana works at Acme.");
  const answer = await client.reflect("ts-reflect", "Where does Dana work?");
  assert.ok(answer.text.includes(answer.citations[0].mark));
  const names = [];
  let text = "";
  for await (const { event, data } of client.streamReflect("ts-reflect", "Where does Dana work?")) {
    names.push(event);
    if (event === "delta") text += data.text;
    if (event === "done") assert.equal(data.text.trim(), text.trim());
  }
  assert.deepEqual([names[0], names.at(-1)], ["started", "done"]);
});

test("a stream may be left early", async () => {
  for await (const { event } of client.streamReflect("ts-reflect", "Where does Dana work?")) {
    assert.equal(event, "started");
    break;
  }
});

test("errors have the class of their code", async () => {
  await assert.rejects(client.banks.get("nowhere"), (error) => {
    assert.ok(error instanceof BankNotFound);
    assert.equal(error.statusCode, 404);
    assert.ok(error.requestId);
    return true;
  });
  await assert.rejects(client.recall("ts-memories", ""), (error) => {
    assert.ok(error instanceof Invalid);
    assert.equal(error.errors[0].field, "query");
    return true;
  });
  const stranger = new MemoryClient(url, { apiKey: "mpk_wrong" });
  await assert.rejects(stranger.banks.list().first(), Unauthenticated);
});

test("Memory adds, processes and retrieves", async () => {
  const memory = new Memory(url, { apiKey, bank: "ts-caroline" });
  assert.equal((await memory.retrieve("Where does Caroline work?")).toPrompt(), "");
  await memory.addMessage({ role: "user", name: "Caroline", content: "I work at Google." });
  await memory.addExchange("What's the weather?", "It's sunny.");
  const { memoryIds } = await memory.process();
  assert.ok(memoryIds.length > 1);
  const context = await memory.retrieve("Where does Caroline work?", { topK: 3 });
  assert.match(context.toPrompt(), /Google/);
});

test("an id with a slash or a query reaches its own document", async () => {
  await client.retain("ts-documents", { content: "# May\nBob sails to Rome.", document_id: "notes/may?.md" });
  const document = await client.documents.get("ts-documents", "notes/may?.md");
  assert.match(document.text ?? document.original_text, /Rome/);
});

test("keys, usage and the audit log answer", async () => {
  const made = await client.account.createKey({ name: "ts", scopes: ["read"] });
  const reader = new MemoryClient(url, { apiKey: made.text });
  await assert.rejects(reader.retain("ts-memories", "No."), { name: "PermissionDenied" });
  await client.account.revokeKey(made.key.key_id);
  assert.ok((await client.account.usage()).total.requests > 0);
  assert.ok((await client.auditEvents.list().first()).items.length > 0);
  assert.match(await client.transfer.export("ts-memories"), /^\{/);
});

test("an exported bank is loaded under another id", async () => {
  await client.retain("ts-transfer", { facts: [{ text: "Alice lives in Lisbon." }, { text: "Bob sails to Rome." }] });
  const imported = await client.transfer.load("ts-copy", await client.transfer.export("ts-transfer"));
  await client.operations.wait(imported.operation_id);
  const texts = (await client.memories.list("ts-copy").toArray()).map((memory) => memory.text).sort();
  assert.deepEqual(texts, ["Alice lives in Lisbon.", "Bob sails to Rome."]);
  await assert.rejects(client.transfer.load("ts-empty", "\n"), RangeError);
});
