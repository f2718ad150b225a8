import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DETAIL_CODES } from '../../src/common/error/detail-code';
import { ERROR_STATUS } from '../../src/common/error/error-code';
import { pageNames } from '../support/document/pages';
import { SOURCE_FILES } from './source-files';

const ROOT = join(__dirname, '../..');
const DOCUMENTS = readdirSync(join(ROOT, 'docs'), { recursive: true })
  .map((path) => join('docs', String(path)))
  .filter((path) => path.endsWith('.md'))
  .concat('README.md');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe.each(DOCUMENTS)('%s', (path) => {
  it('links to what is there', () => {
    const links = [...read(path).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, link = '']) => link);
    const relative = links.filter((link) => !/^[a-z]+:/.test(link));
    const missing = relative.filter((link) => !existsSync(join(ROOT, dirname(path), link)));
    expect(missing).toEqual([]);
  });
});

describe('docs/reliability.md', () => {
  const bounds =
    read('docs/reliability.md').split('\n## Limits of shared')[1]?.split('\n## ')[0] ?? '';

  it('names a test that exists for each bound', () => {
    const rows = bounds.split('\n').filter((line) => /^\| (?!resource|-)/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    const tests = rows.map((row) => /`((?:src|test)\/[^`]+)` +\|$/.exec(row)?.[1] ?? row);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names settings that exist', () => {
    const settings = [...bounds.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name);
    const known = read('.env.example');
    expect(settings.filter((name) => !known.includes(`${name}=`))).toEqual([]);
  });
});

describe('docs/api/README.md', () => {
  it('links to every page of its folder', () => {
    const pages = readdirSync(join(ROOT, 'docs/api')).filter((name) => name !== 'README.md');
    expect(pageNames(read('docs/api/README.md')).sort()).toEqual(pages.sort());
  });
});

describe('docs/api/errors.md', () => {
  const section = (title: string): string =>
    read('docs/api/errors.md').split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const codes = (table: string): string[] =>
    [...table.matchAll(/^\|(?: \d{3} +\|)? `([a-z_0-9]+)` +\|/gm)].map(([, code = '']) => code);

  it('has every code of errors, and no other', () => {
    expect(codes(section('Error codes'))).toEqual(Object.keys(ERROR_STATUS));
  });

  it('has every code of details, and no other', () => {
    expect(codes(section('Detail codes'))).toEqual([...DETAIL_CODES]);
  });

  it('has every code that a detail is given in the sources', () => {
    const known: readonly string[] = [...DETAIL_CODES, ...Object.keys(ERROR_STATUS)];
    const used = SOURCE_FILES.filter(({ path }) => !path.startsWith('cli/')).flatMap(({ text }) =>
      [...text.matchAll(/\bcode: '([a-z_0-9]+)'/g)].map(([, code = '']) => code),
    );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((code) => !known.includes(code))).toEqual([]);
  });
});
