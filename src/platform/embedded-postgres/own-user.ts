import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Owner of files, as numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on every system we know. Services of all kinds run as it. */
export const NOBODY: Owner = { uid: 65534, gid: 65534 };

interface Range {
  readonly start: number;
  readonly size: number;
}

/**
 * User ids that systems leave unused (systemd's "Users, Groups, UIDs and GIDs"), best first. A
 * container may have the low ones only.
 */
const UNUSED: readonly Range[] = [
  { start: 1_900_000_000, size: 100_000_000 },
  { start: 60_706, size: 478 },
];

/** Whether a user id is one that {@link ownUser} gives. */
export function isOwnUser(uid: number): boolean {
  return UNUSED.some(({ start, size }) => uid >= start && uid < start + size);
}

/**
 * A user and a group that nobody else on this machine is, so that no other process can read the
 * cluster's files or connect to its socket. It follows from the directory: processes that start
 * together choose the same one.
 * @returns `null` where this process can be no such user, as in a container that maps one user only.
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

/** The ids that this process can use; without such a file all of them. */
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

/** Third fields of lines such as `name:x:1000:…`. */
async function readIds(files: readonly string[]): Promise<ReadonlySet<number>> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const lines = texts.flatMap((text) => text.split('\n'));
  return new Set(lines.map((line) => Number(line.split(':')[2])));
}
