import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './errno';
import type { Owner } from './own-user';

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
