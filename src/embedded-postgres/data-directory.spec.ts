import { execFile } from 'node:child_process';
import { chmod, mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileModule } from './testing/service-process';

let root: string;
let program: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'data-directory-'));
  await chmod(root, 0o755);
  program = (await compileModule(join(root, 'js'))).replace(/embedded-postgres\.js$/, '');
});

afterAll(() => rm(root, { recursive: true }));

/** Returns the error message for a user other than root, because root may write everywhere. */
async function problemOf(dataDir: string): Promise<string> {
  const script = `
    const { makeDataDirectory, assertWritable } = require(process.argv[1] + 'data-directory');
    makeDataDirectory(process.argv[2]).then(assertWritable).catch((error) => {
      process.stdout.write(error.message);
    });`;
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const args = ['-e', script, program, dataDir];
  return (await promisify(execFile)(process.execPath, args, user)).stdout;
}

describe('makeDataDirectory', () => {
  it.each([
    ['is not writable', 0o555, ''],
    ['cannot be entered', 0o600, ''],
    ['cannot be created', 0o555, 'a/b'],
  ])('names DATA_DIR if the directory %s', async (_, mode, below) => {
    const directory = await mkdtemp(join(root, 'd'));
    await chmod(directory, mode);
    const dataDir = join(directory, below);
    expect(await problemOf(dataDir)).toBe(
      'Wrong setting: DATA_DIR must be a directory that this user can make and write in ' +
        `(it is ${JSON.stringify(dataDir)})`,
    );
  });

  it('creates the directory and its parents', async () => {
    const directory = join(root, 'open');
    await mkdir(directory);
    await chmod(directory, 0o777);
    expect(await problemOf(join(directory, 'a/b/c'))).toBe('');
  });
});
