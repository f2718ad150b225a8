import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample, withSettingTables } from '../../src/platform/config/setting-documents';
import { settingTexts } from '../../src/platform/config/setting';
import { settings } from '../../src/platform/config/settings';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');

const namesIn = (text: string, line: RegExp): string[] =>
  [...text.matchAll(line)].map(([, name = '']) => name).sort();

const known = Object.keys(settings.shape).sort();

/** A difference means that `npm run settings` was not run after a change of a setting. */
describe.each([
  ['.env.example', /^#([A-Z][A-Z_]*)=/gm, envExample],
  ['docs/operations.md', /^\| `([A-Z][A-Z_]*)`/gm, withSettingTables],
])('%s', (path, line, render) => {
  it('lists every setting, and nothing else', () => {
    expect(known).toContain('PORT');
    expect(namesIn(read(path), line)).toEqual(known);
  });

  it('has the subjects, defaults and descriptions of the code', () => {
    const text = read(path);
    expect(text).toBe(render(text));
  });
});

describe('the description of a setting', () => {
  const bounded = Object.entries(settings.shape).flatMap(([name, type]) => {
    const { description = '' } = settingTexts.get(type) ?? {};
    const [, number, unit] = /; up to (\d+)( MiB)?\./.exec(description) ?? [];
    if (number === undefined) return [];
    return [{ name, type, max: Number(number) * (unit === undefined ? 1 : 1024 * 1024) }];
  });

  it('names a maximum for pages, batches, columns and import batches', () => {
    expect(bounded.map(({ name }) => name).sort()).toEqual([
      'IMPORT_BATCH_ROWS',
      'MAX_BATCH_BYTES',
      'MAX_COLUMNS',
      'MAX_PAGE_BYTES',
    ]);
  });

  it.each(bounded)('names the maximum that $name accepts', ({ type, max }) => {
    expect(type.safeParse(String(max)).data).toBe(max);
    expect(type.safeParse(String(max + 1)).success).toBe(false);
  });
});
