import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../src/platform/config/settings';
import {
  LIMIT_TABLES,
  LIMITS_PAGE,
  withLimitTables,
} from '../../src/platform/fairness/limit-documents';
import { LIMITS } from '../../src/platform/fairness/limits';
import { SOURCE_FILES } from './source-files';

const ROOT = join(__dirname, '../..');
const page = readFileSync(join(ROOT, LIMITS_PAGE), 'utf8');
const rows = LIMIT_TABLES.flatMap((table) => table.rows);

/** Returns the texts in code of a page: names of settings and paths. */
const inCode = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

describe(LIMITS_PAGE, () => {
  it('has the limits of the code (if not, run `npm run settings`)', () => {
    expect(page).toBe(withLimitTables(page));
  });
});

describe('the tables of limits', () => {
  it('have each declared limit once', () => {
    const declared = Object.values(LIMITS);
    expect(rows.filter((row) => typeof row !== 'string')).toHaveLength(declared.length);
    expect(declared.filter((limit) => !rows.includes(limit))).toEqual([]);
  });

  it('have five cells in each row, of which the last has a test', () => {
    const texts = rows.filter((row) => typeof row === 'string');
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((row) => !/^(?:[^|]+ \| ){4}`(src|test)\/[^|`]+`$/.test(row))).toEqual([]);
  });

  it('name existing tests and settings', () => {
    const names = rows.flatMap((row) => (typeof row === 'string' ? inCode(row) : row.tests));
    const paths = names.filter((name) => /^(src|test)\//.test(name));
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const named = names.filter((name) => /^[A-Z]+(_[A-Z]+)+$/.test(name));
    expect(named.filter((name) => !(name in settings.shape))).toEqual([]);
  });
});

it('every semaphore of the service has a declared limit', () => {
  const creators = SOURCE_FILES.filter(({ text }) => text.includes('new AccountSemaphore('));
  expect(creators.map(({ path }) => path)).toEqual(['platform/fairness/limit.ts']);
  const text = SOURCE_FILES.map((file) => file.text).join('\n');
  const unused = Object.keys(LIMITS).filter(
    (name) => !new RegExp(`(semaphoreOf|new CheckPermits)\\(LIMITS\\.${name}\\b`).test(text),
  );
  expect(unused).toEqual([]);
});
