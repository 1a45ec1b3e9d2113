// Compiled, never run: the types of requests and answers are those of the API.
import { MemoryClient } from "memoryplatform-client";

const client = new MemoryClient("http://service", { apiKey: "key" });

export async function check(): Promise<string> {
  const bank = await client.banks.get("support");
  // @ts-expect-error a bank has no such field
  bank.nonsense;
  await client.recall("support", "question", { budget: "low" });
  // @ts-expect-error recall has no such option
  await client.recall("support", "question", { budgett: "low" });
  // @ts-expect-error an item has no such field
  await client.retain("support", { contentt: "text" });
  for await (const row of client.memories.list("support")) row.id satisfies string;
  for await (const event of client.streamReflect("support", "question")) {
    if (event.event === "delta") event.data.text satisfies string;
  }
  return bank.name;
}
