import { CONSTANTS, settingName } from './constants';
import { settings } from './settings';

/** A name in the environment that is not a setting. */
export interface UnknownSetting {
  readonly name: string;
  /** The setting that was probably meant, or what to do instead of a setting that was removed. */
  readonly hint: string;
}

const EXPORT_ON_DISK = 'One export may use half of MAX_SPOOL_BYTES, as its account may.';

/** Settings that were removed, and what to do instead. */
const REMOVED: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CONSTANTS).map(([property, value]): [string, string] => [
    settingName(property),
    `It is always ${String(value)}.`,
  ]),
  ['MAX_EXPORT_SPOOL_BYTES', EXPORT_ON_DISK],
  ['EXPORT_SPOOL_BYTES', EXPORT_ON_DISK],
  [
    'WORKERS',
    'An instance is one process: to use more cores, start more instances behind a proxy.',
  ],
]);

const KNOWN = Object.keys(settings.shape);

/**
 * Kubernetes and Docker define such variables for every service of a namespace or linked container.
 */
const SERVICE_VARIABLE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP)(_\w+)?)?$/;

/** Variables of OpenSSL, also with Nix's prefix, and of OpenTelemetry, which reads its own. */
const FOREIGN = /^((NIX_)?SSL_CERT_|OTEL_)/;

/** Shorter names resemble too many variables of other programs, such as `HOSTS` or `POST`. */
const MIN_LENGTH = 6;
/** Words for limits and units, which are common in the settings of other programs too. */
const GENERIC: ReadonlySet<string> = new Set([
  'MAX',
  'MIN',
  'LIMIT',
  'TIMEOUT',
  'BYTES',
  'SECONDS',
  'DAYS',
  'MS',
  'PORT',
  'HOST',
  'URL',
]);
/** Maximum share of the longer name's letters that may differ. */
const MAX_DIFFERENCE = 0.2;

/**
 * Finds removed settings, and names that look like misspelled ones: a few letters differ, the words have a
 * different order, words are missing or added, or one word differs. Ignores values.
 */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
): UnknownSetting[] {
  return Object.keys(env).flatMap((name) => {
    if (!env[name] || KNOWN.includes(name) || isForeign(name)) return [];
    const removed = REMOVED.get(name);
    if (removed !== undefined) return [{ name, hint: removed }];
    const nearest = nearestTo(name);
    return nearest === undefined ? [] : [{ name, hint: `Did you mean ${nearest}?` }];
  });
}

function isForeign(name: string): boolean {
  return SERVICE_VARIABLE.test(name) || FOREIGN.test(name);
}

function nearestTo(name: string): string | undefined {
  const upper = name.toUpperCase().replaceAll(/[-.]/g, '_');
  if (upper.length < MIN_LENGTH) return undefined;
  const candidates = KNOWN.filter((known) => known.length >= MIN_LENGTH)
    .map((known) => ({
      known,
      difference: difference(upper, known),
      shared: sharedWords(upper, known),
    }))
    .filter(({ known, difference }) => difference <= MAX_DIFFERENCE || isVariant(upper, known))
    .sort((one, other) => other.shared - one.shared || one.difference - other.difference);
  return candidates[0]?.known;
}

/** Returns the share of letters to change, add, remove or swap with their neighbor. */
function difference(one: string, other: string): number {
  return editDistance(one, other) / Math.max(one.length, other.length);
}

function sharedWords(name: string, known: string): number {
  const words = name.split('_');
  return known.split('_').filter((word) => words.includes(word)).length;
}

/**
 * Returns whether one name contains all words of the other, at least two, in any order, or all but
 * one.
 */
function isVariant(name: string, known: string): boolean {
  const min = Math.min(name.split('_').length, known.split('_').length);
  const shared = sharedWords(name, known);
  return min >= 2 && (shared >= min || (shared >= min - 1 && sharesSubject(name, known)));
}

/**
 * Returns whether the names share at least two words, one of which is not just a limit or a unit.
 */
function sharesSubject(name: string, known: string): boolean {
  const words = name.split('_');
  const shared = known.split('_').filter((word) => words.includes(word));
  return shared.length >= 2 && shared.some((word) => !GENERIC.has(word));
}

/** Returns the optimal string alignment distance. */
function editDistance(one: string, other: string): number {
  let [before, previous] = [[] as number[], Array.from({ length: other.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = at(previous, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      let min = Math.min(changed, at(previous, j) + 1, at(row, j - 1) + 1);
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (i > 1 && j > 1 && isSwap) min = Math.min(min, at(before, j - 2) + 1);
      row.push(min);
    }
    [before, previous] = [previous, row];
  }
  return at(previous, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

/** Returns the names in this process's environment that were removed or look like misspelled settings. */
export function unknownInEnvironment(): UnknownSetting[] {
  return unknownSettings(process.env);
}

/** Returns the one-line warning for an operator. It omits the value, which may be secret. */
export function unknownSettingText({ name, hint }: UnknownSetting): string {
  return `Unknown setting: ${name} has no effect. ${hint}`;
}
