// The second generation of the TypeScript SDK as a client: typescript_2.mjs PLAN.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { plan, report } from './checks.mjs';

const require = createRequire(`${process.env.MODULES}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const modern = plan.era === 'modern';

// A connected client, which may have roots.
async function connect(roots) {
  const client = new Client(
    { name: 'typescript-2', version: '1.0.0' },
    {
      capabilities: roots ? { roots: {} } : {},
      ...(modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
    },
  );
  if (roots) client.setRequestHandler('roots/list', async () => ({ roots }));
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
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
  });
  const ready = modern ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri });
  return { ready, changed };
}, connect);
