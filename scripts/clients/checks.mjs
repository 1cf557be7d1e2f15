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
    const seen = [];
    const result = await request(plan.long, { onprogress: ({ progress }) => seen.push(progress) });
    assert.ok(!result.isError && rises(seen), String(seen));
    for (const endless of plan.endless) {
      const seen = await stoppedAfter(request, endless, 2);
      assert.ok(rises(seen), `${endless[0]}: ${seen}`);
    }
  },
  async cancel(bench) {
    for (const endless of plan.endless) {
      await stoppedAfter(bench.request, endless, 1);
      await within(20, called(bench));
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
  // A client with one folder open reaches nothing beside it.
  async roots({ connect }) {
    if (plan.era === 'modern') return '-';
    const narrow = await connect([{ uri: plan.folder }]);
    const beside = await call(narrow, plan.call);
    assert.ok(beside.isError && beside.content[0].text.includes("client's own roots"), JSON.stringify(beside));
    assert.ok(!(await call(narrow, plan.inside)).isError);
    await narrow.close();
  },
};

const rises = (seen) => seen.length > 0 && seen.every((n, i) => i === 0 || seen[i - 1] < n);

// Cancel a call when it has told its progress so often; what it told.
async function stoppedAfter(request, call, words) {
  const [seen, stop] = [[], new AbortController()];
  const onprogress = ({ progress }) => {
    seen.push(progress);
    if (seen.length >= words) stop.abort('enough');
  };
  await assert.rejects(request(call, { signal: stop.signal, onprogress }), undefined, `${call[0]} was not cancelled`);
  assert.ok(stop.signal.aborted, `${call[0]} failed by itself`);
  return seen;
}

function within(seconds, promise) {
  const late = sleep(seconds * 1000, undefined, { ref: false }).then(() => {
    throw new Error(`no end after ${seconds} s`);
  });
  return Promise.race([promise, late]);
}

// Go through all checks and print one JSON object.
export async function report(client, subscribe, connect) {
  const request = (what, options) => call(client, what, { timeout: 60_000, ...options });
  const outcome = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      outcome[name] = (await within(60, check({ client, request, subscribe, connect }))) ?? 'ok';
    } catch (error) {
      outcome[name] = `${error.name}: ${error.message}`.split('\n')[0];
    }
  }
  console.log(JSON.stringify(outcome));
  await within(5, client.close()).catch(() => {});
  process.exit(0);
}
