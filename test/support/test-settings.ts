import { type Constants, CONSTANTS } from '../../src/platform/config/constants';

/** Settings as in the environment, and other values of constants of the service. */
export type TestSettings = Readonly<Record<Uppercase<string>, string>> & Partial<Constants>;

interface SeparateSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly constants: Partial<Constants>;
}

/** Separates variables of the environment from constants. */
export function separate(given: TestSettings): SeparateSettings {
  const entries: [string, unknown][] = Object.entries(given);
  const isConstant = ([name]: [string, unknown]): boolean => name in CONSTANTS;
  return {
    env: Object.fromEntries(
      entries.filter((entry) => !isConstant(entry)),
    ) as SeparateSettings['env'],
    constants: Object.fromEntries(entries.filter(isConstant)),
  };
}
