import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, type AppConfig } from '../../src/platform/config/app-config';

const known = [
  ...readFileSync(join(__dirname, '../../src/platform/config/settings.ts'), 'utf8').matchAll(
    /^ {2}([A-Z][A-Z_]*):/gm,
  ),
].map(([, name = '']) => name);

/** Node's own. */
const OTHERS = ['NODE_OPTIONS'];

/** Names that mean nothing to the service. */
export function unknownSettings(environment: Readonly<Record<string, string>>): string[] {
  expect(known).toContain('DATABASE_URL');
  return Object.keys(environment).filter((name) => ![...known, ...OTHERS].includes(name));
}

/** The settings as the service reads them, which refuses wrong ones. */
export function settingsIn(environment: Readonly<Record<string, string>>): AppConfig {
  expect(unknownSettings(environment)).toEqual([]);
  return readConfig(environment);
}
