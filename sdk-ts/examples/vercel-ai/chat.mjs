// A chat with memory by the Vercel AI SDK: the OpenAI proxy recalls before each answer and retains the exchange.
//   MEMORYPLATFORM_URL=http://127.0.0.1:8000 MEMORYPLATFORM_KEY=mpk_… node chat.mjs "My boat is called Albatross."
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";

const memory = createOpenAICompatible({
  name: "memoryplatform",
  baseURL: `${process.env.MEMORYPLATFORM_URL}/v1`,
  apiKey: process.env.MEMORYPLATFORM_KEY,
  headers: { "X-Bank-Id": process.env.MEMORYPLATFORM_BANK ?? "ai-sdk" },
});

const { textStream } = streamText({
  model: memory("default"),
  prompt: process.argv[2] ?? "What do you know about me?",
  tools: {
    weather: tool({
      description: "The weather in a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `It is sunny in ${city}.`,
    }),
  },
  stopWhen: isStepCount(3),
  onError: ({ error }) => {
    console.error(error);
    process.exitCode = 1;
  },
});
for await (const text of textStream) process.stdout.write(text);
process.stdout.write("\n");
