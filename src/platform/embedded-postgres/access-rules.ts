import { execFile } from 'node:child_process';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unlessCode } from './errno';
import type { ServerIdentity } from './server-identity';

const HEADER = '# Written by the service at each start of the server.\n';

/**
 * Writes the access rules. They admit the service's user and the server's own, identified by the
 * user id that the kernel reports for the peer of a Unix socket (`peer`). Clusters of earlier
 * releases, which admitted every process that could reach the socket, get the same rules. Call it
 * only while no server uses the cluster.
 */
export async function writeAccessRules(
  clusterDir: string,
  identity: ServerIdentity,
): Promise<void> {
  const found = await Promise.all([...new Set(identity.clientUids)].map(nameOf));
  const names = found.filter((name) => name !== null);
  // Without names, users cannot be told apart. The socket's directory admits only these users.
  const method = names.length > 0 ? 'peer map=service' : 'trust';
  await put(clusterDir, identity, 'pg_hba.conf', `local all all ${method}\n`);
  const mappings = names.map((name) => `service "${name}" "app"\n`);
  await put(clusterDir, identity, 'pg_ident.conf', mappings.join(''));
}

/**
 * Returns the user's name as the server looks it up.
 * @returns `null` if there is no name, or none that a rule can contain.
 */
async function nameOf(uid: number): Promise<string | null> {
  const command = promisify(execFile)('id', ['-un', String(uid)]);
  const name = await command.then(({ stdout }) => stdout.trim()).catch(() => '');
  return /^[^"/\s][^"\s]*$/.test(name) ? name : null;
}

async function put(
  clusterDir: string,
  { owner }: ServerIdentity,
  name: string,
  rules: string,
): Promise<void> {
  const file = join(clusterDir, name);
  const text = HEADER + rules;
  if ((await unlessCode(readFile(file, 'utf8'), ['ENOENT'], null)) === text) return;
  const replacement = `${file}.${String(process.pid)}`;
  try {
    await writeFile(replacement, text, { mode: 0o600 });
    await chown(replacement, owner.uid, owner.gid);
    await rename(replacement, file);
  } finally {
    await rm(replacement, { force: true });
  }
}
