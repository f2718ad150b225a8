import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';

interface Engines {
  readonly engines?: { readonly node?: string };
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '../..', name), 'utf8'));

const { engines } = read('package.json') as Engines;
const { packages } = read('package-lock.json') as { packages: Record<string, Engines> };

/** The lowest version that the project supports, and the last one of Node 20. */
const VERSIONS = [minVersion(engines?.node ?? '')?.version ?? '', '20.20.2'];

describe('the packages that npm ci installs', () => {
  it.each(VERSIONS)('support Node %s, so that npm warns of none', (version) => {
    expect(version).toMatch(/^20\.(19|20)\./);
    const nodeOf = Object.entries(packages).map(([path, one]) => [path, one.engines?.node ?? '*']);
    expect(nodeOf.length).toBeGreaterThan(500);
    const isSupported = (range: string): boolean =>
      satisfies(version, range, { includePrerelease: true });
    expect(nodeOf.filter(([, range = '']) => !isSupported(range))).toEqual([]);
  });
});
