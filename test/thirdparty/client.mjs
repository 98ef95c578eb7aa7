// A host made with the TypeScript SDK. It reads one request a line on stdin,
// {"op":..., ...}, does it, and answers one line on stdout: {"ok":...} or
// {"error":{...}}. The Go tests decide what to do and what is right.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const client = new Client({ name: "typescript-host", version: "1.0.0" }, { capabilities: {} });
const updates = [];
let moreUpdates = () => {};

async function all(list, key) {
  const out = [];
  for (let cursor; ; ) {
    const page = await list({ cursor });
    out.push(...page[key]);
    if (!(cursor = page.nextCursor)) return out;
  }
}

const ops = {
  // By a url and a token, or by a command with its env.
  async connect({ url, token, command, args, env }) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => {
      updates.push(n.params.uri);
      moreUpdates();
    });
    await client.connect(
      command
        ? new StdioClientTransport({ command, args, env })
        : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
    );
    return { server: client.getServerVersion(), capabilities: client.getServerCapabilities() };
  },
  tools: async () => (await all((p) => client.listTools(p), "tools")).map((t) => t.name),
  prompts: async () => (await all((p) => client.listPrompts(p), "prompts")).map((p) => p.name),
  resources: async () => (await all((p) => client.listResources(p), "resources")).map((r) => r.uri),
  // cancelAt: give up at the n-th progress note; killAt: kill process `pid` then.
  async call({ name, arguments: args, cancelAt, killAt, pid }) {
    const progress = [];
    const abort = new AbortController();
    const onprogress = (p) => {
      progress.push(p);
      if (progress.length === cancelAt) abort.abort("the person changed their mind");
      if (progress.length === killAt) process.kill(pid, "SIGKILL");
    };
    const begin = Date.now();
    try {
      const result = await client.callTool({ name, arguments: args }, undefined, { onprogress, signal: abort.signal });
      return { result, progress, ms: Date.now() - begin };
    } catch (e) {
      return { failure: String(e.message ?? e), progress, ms: Date.now() - begin };
    }
  },
  read: ({ uri }) => client.readResource({ uri }),
  prompt: ({ name, arguments: args }) => client.getPrompt({ name, arguments: args }),
  complete: ({ params }) => client.complete(params),
  subscribe: ({ uri }) => client.subscribeResource({ uri }),
  // updates waits until so many have come, or until limitMS is over.
  async updates({ count, limitMS }) {
    const limit = new Promise((resolve) => setTimeout(resolve, limitMS, "over"));
    while (updates.length < count) {
      const more = new Promise((resolve) => (moreUpdates = resolve));
      if ((await Promise.race([more, limit])) === "over") break;
    }
    return updates;
  },
  close: () => client.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = { ok: (await ops[request.op](request)) ?? null };
  } catch (e) {
    answer = { error: { name: e.name, code: e.code, message: e.message } };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
