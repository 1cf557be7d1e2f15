// The checks that both generations of the TypeScript SDK go through.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

export const plan = JSON.parse(process.argv[2]);

const call = (client, [name, args], options) => client.callTool({ name, arguments: args }, options);

async function called({ client, request }) {
  const result = await request(plan.call);
  assert.ok(!result.isError);
  assert.equal(result.structuredContent.content, plan.content);
}

const checks = {
  async list({ client }) {
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    for (const name of plan.tools) assert.ok(names.includes(name), name);
  },
  call: called,
  async error({ request }) {
    const result = await request(plan.error);
    assert.ok(result.isError);
    assert.ok(result.content[0].text.startsWith(plan.sentence), result.content[0].text);
  },
  async progress({ request }) {
    for (const long of plan.long) {
      const seen = [];
      const result = await request(long, { onprogress: ({ progress }) => seen.push(progress) });
      assert.ok(!result.isError, long[0]);
      assert.ok(seen.length > 0 && seen.every((n, i) => i === 0 || seen[i - 1] < n), `${long[0]}: ${seen}`);
    }
  },
  // Each long call is cancelled when its first progress shows that it is at work.
  async cancel(bench) {
    for (const long of plan.cancelled) {
      const stop = new AbortController();
      await new Promise((resolve, reject) => {
        const running = bench.request(long, { signal: stop.signal, onprogress: () => stop.abort('enough') });
        running.then(() => reject(new Error(`${long[0]} was not cancelled`)), resolve);
      });
      await within(10, called(bench));
    }
  },
  async resource({ client }) {
    const read = await client.readResource({ uri: plan.uri });
    assert.equal(read.contents[0].text, plan.content);
    const uris = (await client.listResources()).resources.map((resource) => resource.uri);
    assert.ok(uris.includes(plan.uri), String(uris));
  },
  async subscribe({ subscribe, request }) {
    const update = subscribe(plan.watched);
    await (await update).ready;
    await request(plan.write);
    assert.equal(await (await update).changed, plan.watched);
  },
};

function within(seconds, promise) {
  const late = sleep(seconds * 1000, undefined, { ref: false }).then(() => {
    throw new Error(`no end after ${seconds} s`);
  });
  return Promise.race([promise, late]);
}

// Go through all checks and print one JSON object.
export async function report(client, subscribe) {
  const request = (what, options) => call(client, what, { timeout: 60_000, ...options });
  const outcome = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      await within(60, check({ client, request, subscribe }));
      outcome[name] = 'ok';
    } catch (error) {
      outcome[name] = `${error.name}: ${error.message}`.split('\n')[0];
    }
  }
  console.log(JSON.stringify(outcome));
  await within(5, client.close()).catch(() => {});
  process.exit(0);
}
