import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../config/app-config';
import { createEmbeddedKeyFile, parseKeyFile, readWrappingKeys } from './key-file';

const KEY = randomBytes(32).toString('base64');
const OTHER = randomBytes(32).toString('base64');
const HINT = 'Create a key with: echo "<id>:$(openssl rand -base64 32)"';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'datagrid-keys-'));
});

afterEach(() => rm(directory, { recursive: true }));

function problem(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return '';
}

describe('a key file', () => {
  it('has one key on each line, in order, beside comments and empty lines', () => {
    const text = `\uFEFF# of 2026\r\n\r\n  2026-11:${KEY}  \r\n#2025:${KEY}\n\n2025.a_B-1:${OTHER}`;
    expect(parseKeyFile(text).map(({ id, key }) => [id, key.export().toString('base64')])).toEqual([
      ['2026-11', KEY],
      ['2025.a_B-1', OTHER],
    ]);
  });

  it.each([
    ['a key without an id', KEY, 'expected <id>:<base64 of 32 bytes>'],
    ['three parts', `a:b:${KEY}`, 'expected <id>:<base64 of 32 bytes>'],
    [
      'an empty id',
      `:${KEY}`,
      'expected <id>:<base64 of 32 bytes>, with an id of up to 64 letters, digits, ".", "_" and "-"',
    ],
    [
      'an id with a space',
      `a b:${KEY}`,
      'expected <id>:<base64 of 32 bytes>, with an id of up to 64 letters, digits, ".", "_" and "-"',
    ],
    [
      'an id of 65 characters',
      `${'a'.repeat(65)}:${KEY}`,
      'expected <id>:<base64 of 32 bytes>, with an id of up to 64 letters, digits, ".", "_" and "-"',
    ],
    [
      'the id behind the key',
      `${KEY}:a`,
      'expected <id>:<base64 of 32 bytes>, with an id of up to 64 letters, digits, ".", "_" and "-"',
    ],
    [
      'an invalid character',
      `a:${KEY.slice(0, 9)}!${KEY.slice(10)}`,
      'expected <id>:<base64 of 32 bytes>, but the key is not valid base64',
    ],
    [
      'a key without padding',
      `a:${KEY.slice(0, -1)}`,
      'expected <id>:<base64 of 32 bytes>, but the key is not valid base64',
    ],
    [
      'a key of 16 bytes',
      `a:${randomBytes(16).toString('base64')}`,
      'expected <id>:<base64 of 32 bytes>, but the key has 16 bytes',
    ],
    ['an empty key', 'a:', 'expected <id>:<base64 of 32 bytes>, but the key has 0 bytes'],
    ['the id of another line', `first:${KEY}`, 'repeats the id of line 1'],
    ['the key of another line', `a:${OTHER}`, 'repeats the key of line 1'],
  ])('with %s is rejected, naming the line and not the key', (_, line, message) => {
    const told = problem(() => parseKeyFile(`first:${OTHER}\n# comment\n${line}\n`));
    expect(told).toBe(
      `Wrong setting: SECRETS_KEY_FILE names a file with errors. line 3: ${message}. ${HINT}`,
    );
  });

  it('is rejected with all its wrong lines in one line', () => {
    expect(problem(() => parseKeyFile(`x\na:${KEY}\na:${OTHER}`))).toBe(
      'Wrong setting: SECRETS_KEY_FILE names a file with errors. line 1: expected ' +
        `<id>:<base64 of 32 bytes>; line 3: repeats the id of line 2. ${HINT}`,
    );
  });

  it.each(['', '\n# a:b\n'])('without a key is rejected: %j', (text) => {
    expect(problem(() => parseKeyFile(text))).toBe(
      `Wrong setting: SECRETS_KEY_FILE names a file without a key. ${HINT}`,
    );
  });

  it('that cannot be read is rejected with its path and the reason', () => {
    const file = join(directory, 'missing');
    const read = (path: string): string =>
      problem(() => readWrappingKeys(readConfig({ SECRETS_KEY_FILE: path })));
    const expected = 'Wrong setting: SECRETS_KEY_FILE must be a file that can be read';
    expect(read(file)).toBe(`${expected} (it is "${file}"): ENOENT`);
    expect(read(directory)).toBe(`${expected} (it is "${directory}"): EISDIR`);
  });
});

describe('the keys of a service', () => {
  const ids = (settings: Record<string, string>): string[] =>
    readWrappingKeys(readConfig(settings)).map(({ id }) => id);

  it('are those of SECRETS_KEY_FILE, with any database', async () => {
    const file = join(directory, 'own');
    await writeFile(file, `mine:${KEY}`);
    const settings = { SECRETS_KEY_FILE: file, DATA_DIR: directory };
    await createEmbeddedKeyFile(readConfig(settings));
    expect(await readdir(directory)).toEqual(['own']);
    expect(ids(settings)).toEqual(['mine']);
    expect(ids({ ...settings, DATABASE_URL: 'postgres://localhost/a' })).toEqual(['mine']);
  });

  it('are created once beside the embedded database, in a file that only its user can read', async () => {
    const settings = { DATA_DIR: directory };
    expect(ids(settings)).toEqual([]);
    const config = readConfig(settings);
    await Promise.all([1, 2, 3, 4].map(() => createEmbeddedKeyFile(config)));
    expect(await readdir(directory)).toEqual(['secrets.keys']);
    const file = join(directory, 'secrets.keys');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    await createEmbeddedKeyFile(config);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(ids(settings)).toEqual([expect.stringMatching(/^embedded-[0-9a-f]{8}$/)]);
  });

  it('are none with another database and without SECRETS_KEY_FILE', async () => {
    await createEmbeddedKeyFile(readConfig({ DATA_DIR: directory }));
    expect(ids({ DATA_DIR: directory, DATABASE_URL: 'postgres://localhost/a' })).toEqual([]);
  });
});
