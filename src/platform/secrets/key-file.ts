import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppConfig, ConfigError } from '../config/app-config';

/** A key that wraps the data keys of secrets. A `KeyObject` does not print its bytes. */
export interface WrappingKey {
  readonly id: string;
  readonly key: KeyObject;
}

const KEY_BYTES = 32;
/** Length limit of an id, which each sealed secret contains. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;
const EXPECTED = 'expected <id>:<base64 of 32 bytes>';
const HINT = 'Create a key with: echo "<id>:$(openssl rand -base64 32)"';

/** Name of the key file in the data directory of the embedded PostgreSQL. */
const EMBEDDED_NAME = 'secrets.keys';

/**
 * Reads the keys that seal secrets: those of SECRETS_KEY_FILE, or of the file that
 * `createEmbeddedKeyFile` has created. The first one seals.
 * @returns an empty list if no file is configured.
 * @throws ConfigError if the file cannot be read or is malformed.
 */
export function readWrappingKeys(config: AppConfig): readonly WrappingKey[] {
  const { secretsKeyFile, databaseUrl, dataDir } = config;
  if (secretsKeyFile !== undefined) return readKeyFile(secretsKeyFile);
  if (databaseUrl !== undefined) return [];
  return readKeyFile(join(dataDir, EMBEDDED_NAME), { mayBeMissing: true });
}

/**
 * Creates the key file of the embedded PostgreSQL with one random key, if SECRETS_KEY_FILE is not set
 * and there is none. Several processes can do so at a time: all of them use the file of the first.
 * @param dataDir Existing data directory.
 */
export async function createEmbeddedKeyFile({ secretsKeyFile, dataDir }: AppConfig): Promise<void> {
  const file = join(dataDir, EMBEDDED_NAME);
  if (secretsKeyFile !== undefined || (await exists(file))) return;
  // Readers must never see an incomplete file.
  const unfinished = `${file}.${randomUUID()}`;
  const id = `embedded-${randomBytes(4).toString('hex')}`;
  const key = randomBytes(KEY_BYTES).toString('base64');
  const text = '# Keys that seal secrets in the database. Back up this file apart from it.\n';
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(`${text}${id}:${key}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Fails if another process was first.
    await link(unfinished, file).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    await syncDirectory(dataDir);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Makes the new name survive a power failure: secrets that are sealed next need the key. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readKeyFile(file: string, { mayBeMissing = false } = {}): readonly WrappingKey[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (mayBeMissing && code === 'ENOENT') return [];
    throw wrong(`must be a file that can be read (it is ${JSON.stringify(file)}): ${code}`);
  }
  return parseKeyFile(text);
}

/**
 * Reads keys: one `<id>:<base64 of 32 bytes>` on each line. Empty lines and lines that begin with `#`
 * are ignored.
 * @throws ConfigError naming every wrong line and what is wrong with it. It never contains a key.
 */
export function parseKeyFile(text: string): readonly WrappingKey[] {
  const keys: (WrappingKey & { readonly line: number })[] = [];
  const problems: string[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    const entry = content.trim();
    const line = index + 1;
    if (entry === '' || entry.startsWith('#')) continue;
    const parsed = parseLine(entry);
    if (typeof parsed === 'string') {
      problems.push(`line ${String(line)}: ${parsed}`);
      continue;
    }
    const same = keys.find(({ id, key }) => id === parsed.id || key.equals(parsed.key));
    if (same) {
      const what = same.id === parsed.id ? 'id' : 'key';
      problems.push(`line ${String(line)}: repeats the ${what} of line ${String(same.line)}`);
    }
    keys.push({ ...parsed, line });
  }
  if (problems.length > 0) throw wrong(`names a file with errors. ${problems.join('; ')}. ${HINT}`);
  if (keys.length === 0) throw wrong(`names a file without a key. ${HINT}`);
  return keys.map(({ id, key }) => ({ id, key }));
}

/** @returns what is wrong, if the line is malformed. */
function parseLine(entry: string): WrappingKey | string {
  const [id = '', encoded, ...rest] = entry.split(':');
  if (encoded === undefined || rest.length > 0) return EXPECTED;
  // The text before the colon may be a key, if the parts are in the wrong order.
  if (!ID.test(id)) return `${EXPECTED}, with an id of up to 64 letters, digits, ".", "_" and "-"`;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return `${EXPECTED}, but the key is not valid base64`;
  if (bytes.length !== KEY_BYTES)
    return `${EXPECTED}, but the key has ${String(bytes.length)} bytes`;
  return { id, key: createSecretKey(bytes) };
}

const wrong = (problem: string): ConfigError =>
  new ConfigError(`Wrong setting: SECRETS_KEY_FILE ${problem}`);
