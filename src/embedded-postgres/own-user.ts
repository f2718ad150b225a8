import { createHash } from 'node:crypto';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Numeric owner of files. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on all common systems. Many services run as this user. */
export const NOBODY: Owner = { uid: 65534, gid: 65534 };

interface Range {
  readonly start: number;
  readonly size: number;
}

/**
 * User ids that systems leave unused (systemd's "Users, Groups, UIDs and GIDs"), best first. A
 * container may have only the low ones.
 */
const UNUSED: readonly Range[] = [
  { start: 1_900_000_000, size: 100_000_000 },
  { start: 60_706, size: 478 },
];

/** Returns whether `uid` is in a range from which {@link ownUser} chooses. */
export function isOwnUser(uid: number): boolean {
  return UNUSED.some(({ start, size }) => uid >= start && uid < start + size);
}

/**
 * Returns a user and group id from the unused ranges that is not in /etc/passwd or /etc/group, so
 * that no other process can read the cluster's files or connect to its socket. The id is derived
 * from the directory, so processes that start together choose the same one.
 * @returns `null` if this process cannot use such an id, as in a container that maps only one user.
 */
export async function ownUser(clusterDir: string): Promise<Owner | null> {
  const [users, groups] = await Promise.all([
    readRanges('/proc/self/uid_map'),
    readRanges('/proc/self/gid_map'),
  ]);
  const taken = await readIds(['/etc/passwd', '/etc/group']);
  const number = createHash('sha256').update(clusterDir).digest().readUInt32BE();
  for (const range of UNUSED) {
    if (!holds(users, range) || !holds(groups, range)) continue;
    for (let n = 0; n < range.size; n += 1) {
      const id = range.start + ((number + n) % range.size);
      if (!taken.has(id)) return { uid: id, gid: id };
    }
  }
  return null;
}

/** Returns the ids that this process can use. Without the file, these are all ids. */
async function readRanges(file: string): Promise<readonly Range[]> {
  const text = await readFile(file, 'utf8').catch(() => '0 0 4294967295');
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([start = 0, , size = 0]) => ({ start, size }));
}

function holds(ranges: readonly Range[], { start, size }: Range): boolean {
  return ranges.some((each) => each.start <= start && each.start + each.size >= start + size);
}

/** Returns the third fields of lines such as `name:x:1000:…`. */
async function readIds(files: readonly string[]): Promise<ReadonlySet<number>> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const lines = texts.flatMap((text) => text.split('\n'));
  return new Set(lines.map((line) => Number(line.split(':')[2])));
}

/**
 * Returns the system error code (`ENOENT`, `EEXIST`, …) or PostgreSQL's SQLSTATE of an error.
 * @returns `undefined` if there is none.
 */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof Error`, because Node's own errors may come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the result of `operation`, or `fallback` if it fails with one of `codes`. */
export async function unlessCode<T, F>(
  operation: Promise<T>,
  codes: readonly string[],
  fallback: F,
): Promise<T | F> {
  try {
    return await operation;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return fallback;
    throw error;
  }
}

/**
 * Changes the owner of a directory and its contents to the server's user. This may differ from last
 * time, for example if a parent directory has become private. Call it only while no server uses it.
 */
export async function giveDirectory(directory: string, { uid, gid }: Owner): Promise<void> {
  const found = await stat(directory);
  if (found.uid === uid) return;
  for (const name of await readdir(directory, { recursive: true })) {
    // Do not follow links, which may lead anywhere.
    await unlessCode(lchown(join(directory, name), uid, gid), ['ENOENT'], undefined);
  }
  // Last, so that an interrupted run starts over.
  await lchown(directory, uid, gid);
}
