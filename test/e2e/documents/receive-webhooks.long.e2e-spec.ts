import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { printedSecret, signedHeaders } from '../../../src/webhooks/signature';
import type { Json } from '../../support/api-client';
import { collect } from '../../support/built-program';
import { fencesOf } from '../../support/document/fence';
import { Shell } from '../../support/document/shell';
import { eventually } from '../../support/eventually';
import { EXAMPLE_LANGUAGES, runExample, startExample } from '../../support/example-program';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { LOOPBACK_ALLOWED, WebhookReceiver } from '../../support/webhook-receiver';

const ROOT = join(__dirname, '../../..');
const BLOCKS = fencesOf(readFileSync(join(ROOT, 'docs/receive-webhooks.md'), 'utf8'));

const codeOf = (language: string): string =>
  BLOCKS.find((block) => block.language === language)?.text ?? '';

const PROGRAMS = [
  { language: 'TypeScript', code: codeOf('ts') },
  { language: 'Python', code: codeOf('python') },
] as const;

/** Prints the stored events in the form of the TypeScript program. */
const PRINT_EVENTS = `
import json, os, sqlite3
for id, event in sqlite3.connect(os.environ["EVENTS"]).execute("SELECT id, event FROM events ORDER BY rowid"):
    print(json.dumps({"id": id, "event": json.loads(event)}))
`;

const programs = PROGRAMS.filter(({ language }) => EXAMPLE_LANGUAGES.includes(language));

let app: TestApp;
let owner: Member;
let directory: string;
let child: ChildProcess | undefined;

beforeAll(async () => {
  // A retry follows at once.
  app = await TestApp.start({ settings: { ...LOOPBACK_ALLOWED, webhookRetrySeconds: [0.001] } });
  owner = await app.newAccount();
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'receive-webhooks-'));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
});

afterEach(async () => {
  await stopProgram();
  await rm(directory, { recursive: true });
});

afterAll(() => app.close());

/** Kills the program at once, as a failure of the machine would. */
async function stopProgram(): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface Stored {
  readonly id: string;
  readonly event: Json;
}

async function storedBy(language: 'TypeScript' | 'Python'): Promise<Stored[]> {
  const text =
    language === 'TypeScript'
      ? await readFile(join(directory, 'events.ndjson'), 'utf8').catch(() => '')
      : await runExample('Python', PRINT_EVENTS, await mkdtemp(join(directory, 'print-')), {
          EVENTS: join(directory, 'events.db'),
        });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Stored);
}

describe('the program of docs/receive-webhooks.md in TypeScript', () => {
  it('compiles under the strict options of the compiler', async () => {
    const file = join(directory, 'receive-webhooks.mts');
    await writeFile(file, codeOf('ts'));
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    });
    const found = ts.getPreEmitDiagnostics(program);
    expect(found.map(({ messageText }) => messageText)).toEqual([]);
  });

  it('continues a file whose last line was not written completely', async () => {
    const port = await freePort();
    const key = Buffer.alloc(32, 1);
    const env = { WEBHOOK_SECRET: printedSecret(key), PORT: String(port) };
    const lines = ['first', 'second'].map((id) => JSON.stringify({ id, event: {} }));
    const file = join(directory, 'events.ndjson');
    await writeFile(file, `${String(lines[0])}\n{"id":"sec`);
    child = await startExample('TypeScript', codeOf('ts'), directory, env);
    const body = '{}';
    const headers = signedHeaders({ messageId: 'second', body, keys: [key], at: new Date() });
    await eventually(async () => {
      const sent = fetch(`http://127.0.0.1:${String(port)}`, { method: 'POST', body, headers });
      return (await sent.catch(() => null))?.status === 204;
    });
    expect(await readFile(file, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''));
  });
});

describe('the commands of docs/receive-webhooks.md', () => {
  it('send an event to a program on the same machine', async () => {
    const port = await freePort();
    const commands = BLOCKS.filter(
      ({ language, text }) => language === 'sh' && !text.startsWith('curl'),
    );
    const shell = Shell.start({ DATAGRID_API_KEY: owner.key });
    const run = ({ text }: { text: string }): Promise<string> =>
      shell.run(
        text.replace('http://localhost:3000', app.origin).replace(':8080', `:${String(port)}`),
      );
    try {
      const [setUp, create, change, ...others] = commands;
      if (!setUp || !create || !change) throw new Error('The commands are missing.');
      expect(others).toEqual([]);
      await run(setUp);
      const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(await run(create)) ?? [];
      const env = { WEBHOOK_SECRET: secret, PORT: String(port) };
      child = await startExample('TypeScript', codeOf('ts'), directory, env);
      expect(await run(change)).toMatch(/^HTTP\/1\.1 200 OK/);
      const [stored] = await eventually(async () => {
        // The program may be writing the line.
        const events = await storedBy('TypeScript').catch(() => []);
        return events.length > 0 && events;
      });
      expect(stored?.event.data.rows[0].values).toMatchObject({ iata: 'ZRH', elevation: 433 });
    } finally {
      await shell.end();
    }
  });
});

describe.each(programs)('the program of docs/receive-webhooks.md in $language', (program) => {
  it('stores each event once, also after a restart, and rejects forged, old and changed deliveries', async () => {
    const { language, code } = program;
    // The service delivers to a relay, because it has the secret only after the webhook is created.
    const relay = await WebhookReceiver.start();
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}/`;
    const send = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { method: 'POST', body, headers })).status;
    const relayed: number[] = [];
    relay.respond = async (response, { text, headers }) => {
      const sent = Object.entries(headers).filter(([name]) => /^(webhook|content-type)/.test(name));
      const status = await send(text, Object.fromEntries(sent));
      relayed.push(status);
      // The service does not learn of the first one, and repeats it.
      response.writeHead(relayed.length === 1 ? 500 : status).end();
    };
    try {
      const workspaceId = await newWorkspace(owner.api);
      const datagrid = await newDatagrid(owner.api, [{ key: 't', type: 'text' }], workspaceId);
      const route = `/workspaces/${workspaceId}/webhooks`;
      const { secret } = dataOf(await owner.api.post(route, { url: relay.url }), 201);
      const env = { WEBHOOK_SECRET: String(secret), PORT: String(port) };
      const start = async (): Promise<void> => {
        child = await startExample(language, code, directory, env);
        const errors = collect(child.stderr);
        await eventually(async () => {
          if (child?.exitCode !== null) throw new Error(errors());
          return (await send('{}', {}).catch(() => 0)) === 400;
        });
      };
      await start();

      dataOf(await owner.api.post(`${datagrid}/rows`, { values: { t: 'ä🦊' } }), 201);
      await eventually(() => relayed.length === 2);
      dataOf(await owner.api.post(`${datagrid}/rows`, { values: { t: 'b' } }), 201);
      await eventually(() => relayed.length === 3);
      expect(relayed).toEqual([204, 204, 204]);

      const [first] = relay.received;
      const body = first?.text ?? '';
      const key = Buffer.from(String(secret).slice('whsec_'.length), 'base64');
      const headersOf = (messageId: string, ageSeconds: number): Record<string, string> =>
        signedHeaders({
          messageId,
          body,
          keys: [key],
          at: new Date(Date.now() - ageSeconds * 1_000),
        });
      const valid = headersOf('msg_new', 0);
      const otherKey = Buffer.alloc(32, 1);
      const rejected: [string, Record<string, string>][] = [
        [body, signedHeaders({ messageId: 'msg_a', body, keys: [otherKey], at: new Date() })],
        [body, headersOf('msg_old', 301)],
        [body, headersOf('msg_future', -302)],
        [body, { ...valid, 'webhook-id': 'msg_other' }],
        [body, { ...valid, 'webhook-timestamp': 'now' }],
        [body, { ...valid, 'webhook-signature': '' }],
        [body, { ...valid, 'webhook-signature': 'v1,' }],
        [`${body} `, valid],
        [body, {}],
      ];
      for (const [text, headers] of rejected) expect(await send(text, headers)).toBe(400);
      // During a rotation, one of two signatures is of another secret.
      const rotated = signedHeaders({
        messageId: 'msg_2',
        body,
        keys: [otherKey, key],
        at: new Date(),
      });
      expect([await send(body, rotated), await send(body, rotated)]).toEqual([204, 204]);
      const together = headersOf('msg_3', 0);
      const statuses = await Promise.all([1, 2, 3, 4, 5].map(() => send(body, together)));
      expect(statuses).toEqual([204, 204, 204, 204, 204]);
      await stopProgram();
      await start();
      expect([await send(body, together), await send(body, headersOf('msg_4', 0))]).toEqual([
        204, 204,
      ]);

      const stored = await storedBy(language);
      const ids = relay.received.map(({ headers }) => headers['webhook-id']);
      expect(ids[1]).toBe(ids[0]);
      expect(stored.map(({ id }) => id)).toEqual([ids[0], ids[2], 'msg_2', 'msg_3', 'msg_4']);
      const texts = stored.map(({ event }) => event.data.rows[0].values.t);
      expect(texts).toEqual(['ä🦊', 'b', 'ä🦊', 'ä🦊', 'ä🦊']);
    } finally {
      await relay.close();
    }
  });
});
