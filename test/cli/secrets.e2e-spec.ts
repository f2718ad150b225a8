import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthenticatorApp } from '../support/authenticator-app';
import { FAKE_SETTINGS } from '../support/fake-destination';
import { dataOf, newWebhook, newWorkspace } from '../support/fixture';
import { OpenidProvider } from '../support/openid-provider';
import { TestApp } from '../support/test-app';
import { admin, adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

const OLD = `old:${randomBytes(32).toString('base64')}`;
const NEW = `new:${randomBytes(32).toString('base64')}`;

let app: TestApp;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'datagrid-keys-'));
  app = await TestApp.alone('It seals the secrets of all accounts.');
});

afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

/** Returns settings with a file of these lines. */
async function withKeys(name: string, ...lines: string[]): Promise<Record<string, string>> {
  const file = join(directory, name);
  await writeFile(file, lines.join('\n'));
  return { DATABASE_URL: app.database.url, SECRETS_KEY_FILE: file };
}

const PASSWORD = 'a password of the tests';

it('secrets status and secrets seal count, seal and wrap the secrets of webhooks, connections, authenticator apps and providers', async () => {
  const owner = await app.newAccount();
  const { api } = owner;
  await app.setPassword(owner, PASSWORD);
  const provider = await OpenidProvider.start();
  const company = { name: 'Company', ...provider.settings, currentPassword: PASSWORD };
  dataOf(await (await app.console(owner)).post('/providers', company), 201);
  await provider.close();
  await AuthenticatorApp.setUp(await app.console(owner), PASSWORD);
  const workspaceId = await newWorkspace(api);
  await newWebhook(api, workspaceId);
  const connections = `/workspaces/${workspaceId}/connections`;
  const connection = {
    name: 'A',
    type: 'postgresql',
    settings: FAKE_SETTINGS,
    secret: 'swordfish',
  };
  dataOf(await api.post(connections, connection), 201);
  dataOf(await api.post(connections, { ...connection, secret: null }), 201);
  const clear = { DATABASE_URL: app.database.url };
  expect(await adminJson(clear, 'secrets', 'status')).toEqual({
    clear: 4,
    keys: [],
    unopenable: 0,
  });
  expect(await adminError(clear, 'secrets', 'seal')).toEqual({
    code: 'invalid_request',
    message: 'SECRETS_KEY_FILE must be set to seal secrets.',
  });

  const first = await withKeys('first', OLD);
  const sealed = { sealed: 4, rewrapped: 0, unopenable: 0 };
  expect(await adminJson(first, 'secrets', 'seal')).toEqual(sealed);
  const both = await withKeys('both', NEW, OLD);
  expect(await adminJson(both, 'secrets', 'status')).toEqual({
    clear: 0,
    keys: [
      { id: 'new', state: 'current', secrets: 0 },
      { id: 'old', state: 'older', secrets: 4 },
    ],
    unopenable: 0,
  });
  const wrapped = await admin(both, 'secrets', 'seal');
  expect(wrapped).toEqual({
    code: 0,
    stdout: '0 secrets sealed, 4 wrapped with the first key, 0 cannot be opened.\n',
    stderr: '',
  });

  // The key that they need now is missing.
  const status = await adminProcess(first, 'secrets', 'status');
  expect(status).toEqual({
    code: 1,
    stdout: 'old (current): 0\nnew (missing): 4\nin clear: 0\ncannot be opened: 4\n',
    stderr: '',
  });
  const seal = await admin(first, 'secrets', 'seal', '--json');
  expect(seal.code).toBe(1);
  expect(JSON.parse(seal.stdout)).toEqual({ sealed: 0, rewrapped: 0, unopenable: 4 });
});

it('a command with a malformed key file names its wrong lines, and not the key', async () => {
  const settings = await withKeys('malformed', OLD, NEW.slice(0, -8));
  const { code, message } = await adminError(settings, 'secrets', 'status');
  expect(code).toBe('invalid_request');
  expect(message).toContain('Wrong setting: SECRETS_KEY_FILE names a file with errors. line 2: ');
  expect(message).not.toContain(NEW.slice(4, 12));
});
