import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { Installation, ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await database.drop();
});

async function rejected(settings: Record<string, string>): Promise<ServiceProcess> {
  const service = ServiceProcess.start({ DATABASE_URL: database.url, ...settings });
  expect(await service.exit()).toBe(1);
  expect(service.stderr()).toMatch(/^[^\n]+\n$/);
  expect(service.stderr()).not.toMatch(/^\s+at /m);
  return service;
}

describe('an invalid setting', () => {
  // app-config.spec.ts tests the other settings.
  it('is named in one line', async () => {
    const service = await rejected({ PORT: '70000' });
    expect(service.stderr()).toMatch(/^Wrong setting: PORT must be .*70000/);
    expect(service.stdout()).toBe('');
  });

  it('is named but not printed if it is DATABASE_URL, which may contain a password', async () => {
    const service = await rejected({ DATABASE_URL: 'http://someone:hunter2@localhost' });
    expect(service.stderr()).toMatch(/^Wrong setting: DATABASE_URL must be a URL that starts with/);
    expect(service.stderr()).not.toContain('hunter2');
  });

  it.each([
    ['a file', 'file'],
    ['a path below a file', 'file/data'],
    ['a dangling link', 'link'],
    ['a path below a dangling link', 'link/data'],
  ])('is named if DATA_DIR is %s', async (_, name) => {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-settings-'));
    try {
      await writeFile(join(root, 'file'), '');
      await symlink(join(root, 'nowhere'), join(root, 'link'));
      const dataDir = join(root, name);
      const service = await rejected({ DATABASE_URL: '', DATA_DIR: dataDir });
      expect(service.stderr()).toMatch(/^Wrong setting: DATA_DIR must be a directory/);
      expect(service.stderr()).toContain(JSON.stringify(dataDir));
      expect(service.stdout()).toBe('');
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it('is named if it is a malformed SECRETS_KEY_FILE, whose keys are not printed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-settings-'));
    try {
      const file = join(directory, 'secrets.keys');
      await writeFile(file, 'first:c2VjcmV0LWtleS1vZi10aGUtb3BlcmF0b3I=\n');
      const service = await rejected({ SECRETS_KEY_FILE: file });
      expect(service.stderr()).toBe(
        'Wrong setting: SECRETS_KEY_FILE names a file with errors. line 1: expected <id>:<base64 ' +
          'of 32 bytes>, but the key has 26 bytes. Create a key with: ' +
          'echo "<id>:$(openssl rand -base64 32)"\n',
      );
      expect(service.stdout()).not.toContain('c2VjcmV0');
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('is named if HOST is not an address of this machine', async () => {
    // An address of TEST-NET-1, which no machine has.
    const service = await rejected({ HOST: '192.0.2.1' });
    expect(service.stderr()).toBe('HOST must be an address of this machine (it is "192.0.2.1").\n');
  });
});

describe('an environment variable that looks like a misspelled setting', () => {
  it('is reported on standard error and in the log with the nearest setting and without its value', async () => {
    const service = await ServiceProcess.ready({
      DATABASE_URL: database.url,
      QUOTA_ROW: 'a-value-of-mine',
      DATAGRID_SERVICE_PORT: '80',
    });
    expect(await service.stop()).toBe(0);
    expect(service.stderr()).toBe(
      'Unknown setting: QUOTA_ROW has no effect. Did you mean QUOTA_ROWS?\n',
    );
    expect(service.log().filter(({ msg }) => msg === 'unknown setting')).toEqual([
      expect.objectContaining({
        level: 'warn',
        name: 'QUOTA_ROW',
        hint: 'Did you mean QUOTA_ROWS?',
      }),
    ]);
    expect(service.stdout()).not.toContain('a-value-of-mine');
  });
});

describe('a service with DATABASE_URL', () => {
  it.each([
    ['warns in its log that secrets are stored in clear without SECRETS_KEY_FILE', false],
    ['does not warn of secrets in clear with SECRETS_KEY_FILE', true],
  ])('%s', async (_, isSet) => {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-settings-'));
    try {
      const file = join(directory, 'secrets.keys');
      const key = randomBytes(32).toString('base64');
      await writeFile(file, `first:${key}\n`);
      const service = await ServiceProcess.ready({
        DATABASE_URL: database.url,
        SECRETS_KEY_FILE: isSet ? file : '',
        LOG_LEVEL: 'trace',
      });
      expect(await service.stop()).toBe(0);
      const warnings = service.log().filter(({ level }) => level === 'warn');
      const msg = 'SECRETS_KEY_FILE is not set, secrets are stored in clear';
      expect(warnings).toMatchObject(isSet ? [] : [{ msg }]);
      expect(service.stdout()).not.toContain(key);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('a port that is in use', () => {
  it('is reported in one line, and the embedded database is stopped', async () => {
    const installation = await Installation.create();
    const other = createServer().listen(0);
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    try {
      const service = installation.start({ PORT: port });
      expect(await service.exit()).toBe(1);
      expect(service.stderr()).toBe(
        `Port ${port} is taken by another program. Set PORT to a free one.\n`,
      );
      expect(await installation.postgresPid()).toBeUndefined();

      // The next start prints the key of the demo.
      const next = await installation.ready();
      expect(await next.stop()).toBe(0);
      expect(next.printed()).toMatch(/^API key: {2}mk_[0-9A-Za-z]{36}$/m);
    } finally {
      other.close();
      await installation.remove();
    }
  });
});

describe('a DATABASE_URL', () => {
  it('is used without creating a demo or printing anything', async () => {
    const service = await ServiceProcess.ready({
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
    });
    const origin = await service.origin();
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.printed()).toBe('');
    expect(service.stderr()).toBe('');
  });
});
