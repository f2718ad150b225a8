/**
 * Runs the client in a context that has only the globals of every JavaScript runtime, and prints what
 * it did. Arguments: the main file of the client, the URL of the service, an API key, a datagrid.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { createContext, SourceTextModule } from 'node:vm';

const [main, baseUrl, apiKey, datagridId] = process.argv.slice(2);

const GLOBALS = ['fetch', 'Response', 'Headers', 'Blob', 'URL', 'URLSearchParams', 'crypto'].concat(
  ['ReadableStream', 'TextEncoder', 'TextDecoder', 'AbortController', 'AbortSignal'],
  ['setTimeout', 'clearTimeout', 'atob'],
);
const context = createContext(Object.fromEntries(GLOBALS.map((name) => [name, globalThis[name]])));
const modules = new Map();

function load(file) {
  const loaded =
    modules.get(file) ??
    new SourceTextModule(readFileSync(file, 'utf8'), { context, identifier: file });
  modules.set(file, loaded);
  return loaded;
}

const client = load(main);
await client.link((specifier, { identifier }) => {
  if (!specifier.startsWith('./')) throw new Error(`${identifier} imports ${specifier}`);
  return load(join(dirname(identifier), specifier));
});
await client.evaluate();

const { createClient, verifyWebhook } = client.namespace;
const rows = createClient({ baseUrl, apiKey }).rows(datagridId);
await rows.create({ number: 'DG 1' });
await rows.upsertAll(['number'], [{ number: 'DG 1' }, { number: 'DG 2' }]);
await rows.import('number\nDG 3\n', { format: 'csv' });
const exported = await rows.export({ format: 'csv', fields: 'number' });
const file = await text(exported.body);
const changes = [];
for await (const page of rows.changes({ follow: false })) changes.push(...page.changes);
const headers = { 'webhook-id': 'e', 'webhook-timestamp': '1', 'webhook-signature': 'v1,' };
const forged = { body: '{}', headers, secret: 'whsec_c2VjcmV0', toleranceSeconds: Infinity };
const webhook = await verifyWebhook(forged).catch(({ message }) => message);
process.stdout.write(JSON.stringify({ file, changes: changes.length, webhook }));
