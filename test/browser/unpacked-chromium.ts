import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = readFileSync(join(__dirname, '../../package.json'), 'utf8');
const { devDependencies } = JSON.parse(PACKAGE) as { devDependencies: Record<string, string> };

/** Contains the version, because the program of another version may still exist. */
const DIRECTORY = join(
  tmpdir(),
  `datagrid-chromium-${devDependencies['@sparticuz/chromium'] ?? ''}`,
);
const UNPACK = "import('@sparticuz/chromium').then((its) => its.default.executablePath())";

/**
 * Returns the path of the browser's program, and unpacks it if necessary. The package would accept
 * a file that another Jest worker is still writing. Therefore each worker unpacks to a directory of
 * its own, and the first to finish renames it.
 */
export async function unpackedChromium(): Promise<string> {
  if (!existsSync(DIRECTORY)) {
    const own = await mkdtemp(`${DIRECTORY}-`);
    const options = { cwd: __dirname, env: { ...process.env, TMPDIR: own } };
    await promisify(execFile)(process.execPath, ['-e', UNPACK], options);
    await rename(own, DIRECTORY).catch(() => rm(own, { recursive: true }));
  }
  return join(DIRECTORY, 'chromium');
}
