import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
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

/** The titles of a file's tests, with `…` for each value that is filled in. */
function titlesOf(path: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^it\b/.test(node.expression.getText())) {
      const [title] = node.arguments;
      if (title && ts.isStringLiteralLike(title)) {
        titles.push(title.text.replaceAll(/%[a-z#]|\$\w+/g, '…'));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return titles;
}

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

  it('names a test file and the title of a test in it for each guarantee', () => {
    const guarantees =
      read('docs/reliability.md').split('\n## Guarantees\n')[1]?.split('\n## ')[0] ?? '';
    const rows = guarantees.split('\n').filter((line) => /^\| (?!guarantee|-)/.test(line));
    expect(rows.length).toBeGreaterThan(100);
    const wrong = rows.filter((row) => {
      const [, title = '', path = ''] = /\| "(.+)" +\| `([^`]+\.ts)` +\|$/.exec(row) ?? [];
      return path === '' || !existsSync(join(ROOT, path)) || !titlesOf(path).includes(title);
    });
    expect(wrong).toEqual([]);
  });

  it('is not cited by numbers in tests', () => {
    const files = ['src', 'test', 'console/src'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true })
        .map((path) => join(folder, String(path)))
        .filter((path) => path.endsWith('.ts')),
    );
    expect(files.length).toBeGreaterThan(500);
    const number = /promises? \d|\b(?:it|describe)\(\s*'\d{1,2}: /i;
    expect(files.filter((path) => number.test(read(path)))).toEqual([]);
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
