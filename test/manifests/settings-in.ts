import { readConfig, type AppConfig } from '../../src/platform/config/app-config';
import { settings } from '../../src/platform/config/settings';

const known = Object.keys(settings.shape);

/** Variables of Node itself. */
const OTHERS = ['NODE_OPTIONS'];

/** Returns the names that are not settings of the service. */
export function unknownSettings(environment: Readonly<Record<string, string>>): string[] {
  return Object.keys(environment).filter((name) => ![...known, ...OTHERS].includes(name));
}

/** Reads the settings as the service does, which rejects invalid ones. */
export function settingsIn(environment: Readonly<Record<string, string>>): AppConfig {
  expect(unknownSettings(environment)).toEqual([]);
  return readConfig(environment);
}
