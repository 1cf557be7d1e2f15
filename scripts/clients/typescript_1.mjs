// The first generation of the TypeScript SDK as a client, which is what most hosts have: typescript_1.mjs PLAN.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { plan, report } from './checks.mjs';

const require = createRequire(`${process.env.MODULES}/`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}.js`)));
const { Client } = await load('client/index');
const { StdioClientTransport } = await load('client/stdio');
const { StreamableHTTPClientTransport } = await load('client/streamableHttp');
const { ListRootsRequestSchema, ResourceUpdatedNotificationSchema } = await load('types');

// A connected client, which may have roots.
async function connect(roots) {
  const client = new Client({ name: 'typescript-1', version: '1.0.0' }, { capabilities: roots ? { roots: {} } : {} });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots }));
  const callTool = client.callTool.bind(client);
  // Here the options come third.
  client.callTool = (params, options) => callTool(params, undefined, options);
  const [command, ...args] = plan.command;
  await client.connect(
    plan.transport === 'stdio'
      ? new StdioClientTransport({ command, args, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(plan.url)),
  );
  return client;
}

const client = await connect();
await report(client, async (uri) => {
  const changed = new Promise((resolve) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
  });
  return { ready: client.subscribeResource({ uri }), changed };
}, connect);
