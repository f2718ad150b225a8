import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import type { Owner } from './own-user';

/**
 * Gives a directory and all in it to the user whom the server runs as: another one than last time
 * where, say, a parent directory has become private. Only where no server is using it.
 */
export async function giveDirectory(directory: string, { uid, gid }: Owner): Promise<void> {
  const found = await stat(directory);
  if (found.uid === uid) return;
  for (const name of await readdir(directory, { recursive: true })) {
    // Not through links: they may lead anywhere.
    await unlessCode(lchown(join(directory, name), uid, gid), ['ENOENT'], undefined);
  }
  // Last, so that what was cut off here begins again.
  await lchown(directory, uid, gid);
}
