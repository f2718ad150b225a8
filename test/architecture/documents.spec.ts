import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { DETAIL_CODES, ERROR_STATUS } from '../../src/common/error/app-error';
import {
  COLUMN_TYPE_NAMES,
  COLUMN_TYPES,
  isComputed,
  isSearched,
} from '../../src/datagrids/column-type/column-type';
import { INTRODUCTION } from '../../src/platform/openapi/introduction';
import { settings } from '../../src/platform/config/settings';
import { OPERATORS } from '../../src/rows/query/filter/operators';
import { pageNames } from '../support/document/pages';
import { projectFiles } from './project-files';
import { SOURCE_FILES } from './source-files';

const ROOT = join(__dirname, '../..');
const DOCUMENTS = projectFiles('docs')
  .filter((path) => path.endsWith('.md'))
  .concat('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Names of all source and test files, without their folders. */
const FILE_NAMES: ReadonlySet<string> = new Set(
  ['src', 'packages', 'test', 'bench', 'tools', 'console'].flatMap((folder) =>
    projectFiles(folder).map((path) => basename(path)),
  ),
);

/** Returns the anchors of a page's headings, as GitHub creates them. */
function anchorsOf(path: string): string[] {
  const counts = new Map<string, number>();
  const text = read(path).replaceAll(/^```.*?^```/gms, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => {
    const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '');
    const anchor = words.replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${String(count)}`;
  });
}

/** Returns true if a link in the page `path` leads to an existing file or, with `#`, heading. */
function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : join(dirname(path), file);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).includes(anchor);
}

const titlesByPath = new Map<string, readonly string[]>();

/** Returns the titles of a file's tests, with `…` for each inserted value. Parses a file once. */
function titlesOf(path: string): readonly string[] {
  const known = titlesByPath.get(path);
  if (known) return known;
  const titles: string[] = [];
  titlesByPath.set(path, titles);
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
  it('links to existing files and headings', () => {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, link = '']) => link);
    const relative = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(relative.filter((link) => !leadsSomewhere(path, link))).toEqual([]);
  });

  it('names only source paths and files that exist', () => {
    // Not `dist/src/main.js`: the name of a folder in a longer path.
    const paths = /(?<![\w/.-])(?:src|test|bench|tools|console\/src)\/[\w./-]*[\w-]/g;
    const missing = [...read(path).matchAll(paths)]
      .map(([found]) => found)
      .filter((found) => !existsSync(join(ROOT, found)));
    const files = [...read(path).matchAll(/`([\w.-]+\.tsx?)`/g)].map(([, name = '']) => name);
    expect([...missing, ...files.filter((name) => !FILE_NAMES.has(name))]).toEqual([]);
  });
});

const SOURCE_TEXT = SOURCE_FILES.map(({ text }) => text).join('\n');

it.each(DOCUMENTS)('%s names only decorators that exist', (path) => {
  const names = [...read(path).matchAll(/`@(\w+)\(\)`/g)].map(([, name = '']) => name);
  const isDeclared = (name: string): boolean =>
    new RegExp(`export (?:const|function) ${name}\\b`).test(SOURCE_TEXT);
  expect(names.filter((name) => !isDeclared(name))).toEqual([]);
});

/** Returns the rows of the tables of guarantees and their tests on a page. */
function guaranteesOf(path: string): string[] {
  const lines = read(path).split('\n');
  const heads = [...lines.entries()].filter(([, line]) =>
    /^\| guarantee +\| test name +\| test file +\|$/.test(line),
  );
  return heads.flatMap(([head]) => {
    const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'));
    return lines.slice(head + 2, end);
  });
}

/** Returns true if a row of such a table names an existing test. */
function namesTest(row: string): boolean {
  const [, title = '', test = ''] = /\| "(.+)" +\| `([^`]+\.ts)` +\|$/.exec(row) ?? [];
  return test !== '' && existsSync(join(ROOT, test)) && titlesOf(test).includes(title);
}

describe('CHANGELOG.md', () => {
  const text = read('CHANGELOG.md');
  const { version } = JSON.parse(read('package.json')) as { version: string };

  it('begins with what is not released, and has the version of the service below', () => {
    const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
    expect(titles[0]).toBe('[Unreleased]');
    expect(titles[1]).toMatch(new RegExp(`^\\[?${version}\\]? - \\d{4}-\\d{2}-\\d{2}$`));
  });

  it('names only kinds of changes of Keep a Changelog, and steps before an upgrade', () => {
    const kinds = [...text.matchAll(/^### (.+)$/gm)].map(([, kind = '']) => kind);
    const known = /^(Added|Changed|Deprecated|Removed|Fixed|Security|Before you upgrade from \S+)$/;
    expect(kinds.length).toBeGreaterThan(3);
    expect(kinds.filter((kind) => !known.test(kind))).toEqual([]);
  });

  it('names only existing settings as new names', () => {
    const rows = [...text.matchAll(/^ *\| `([A-Z_]+)` +\| `([A-Z_]+)` +\|$/gm)];
    expect(rows.length).toBeGreaterThan(5);
    const settingNames = Object.keys(settings.shape);
    for (const [, before = '', now = ''] of rows) {
      expect(settingNames).toContain(now);
      expect(settingNames).not.toContain(before);
    }
  });
});

/** Returns true for the pages whose guarantees are those of connections. */
const isOfConnections = (path: string): boolean => /\/(connections|destinations)\.md$/.test(path);

describe('docs/guarantees', () => {
  const pages = DOCUMENTS.filter((path) => path.startsWith('docs/guarantees/'));

  it.each([
    ['of the service', (path: string) => !isOfConnections(path), 200],
    ['of connections', (path: string) => isOfConnections(path), 100],
  ])('names an existing test file and title for each guarantee %s', (_, isOf, least) => {
    const rows = pages.filter(isOf).flatMap(guaranteesOf);
    expect(rows.length).toBeGreaterThan(least);
    expect(rows.filter((row) => !namesTest(row))).toEqual([]);
  });

  it('names an existing test file for each hostile endpoint', () => {
    const endpoints =
      read('docs/guarantees/webhooks.md').split('\n## Hostile endpoints')[1]?.split('\n## ')[0] ??
      '';
    const rows = endpoints.split('\n').filter((line) => /^\| (?!endpoint|-)/.test(line));
    expect(rows.length).toBeGreaterThan(15);
    const tests = rows.map((row) => /`((?:src|test)\/[^`]+)` +\|$/.exec(row)?.[1] ?? row);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has no numbers that tests cite', () => {
    const files = ['src', 'test', 'console/src']
      .flatMap(projectFiles)
      .filter((path) => path.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(500);
    const number = /promises? \d|\b(?:it|describe)\(\s*'\d{1,2}: /i;
    expect(files.filter((path) => number.test(read(path)))).toEqual([]);
  });
});

describe('docs/limits.md', () => {
  const bounds = read('docs/limits.md').split('\n## Limits of shared')[1]?.split('\n## ')[0] ?? '';

  it('names an existing test for each limit', () => {
    const rows = bounds.split('\n').filter((line) => /^\| (?!resource|-)/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    const tests = rows.map((row) => /`((?:src|test)\/[^`]+)` +\|$/.exec(row)?.[1] ?? row);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names only existing settings', () => {
    const named = [...bounds.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = '']) => name);
    const known = read('.env.example');
    expect(named.filter((name) => !known.includes(`${name}=`))).toEqual([]);
  });
});

describe.each(['api', 'operations', 'guarantees', 'adr'])('docs/%s/README.md', (folder) => {
  it('links to every page of its folder', () => {
    const pages = readdirSync(join(ROOT, 'docs', folder)).filter((name) => name !== 'README.md');
    expect(pageNames(read(`docs/${folder}/README.md`)).sort()).toEqual(pages.sort());
  });
});

describe('docs/adr/README.md', () => {
  it('has the number and the title of each record, once', () => {
    const records = readdirSync(join(ROOT, 'docs/adr')).filter((name) => name !== 'README.md');
    expect(records.length).toBeGreaterThan(50);
    const lines = records.map((name) => {
      const [, title = ''] = /^# (.+)$/m.exec(read(`docs/adr/${name}`)) ?? [];
      return `- [${title}](${name})`;
    });
    const index = read('docs/adr/README.md').split('\n');
    expect(index.filter((line) => line.startsWith('- ')).sort()).toEqual(lines.sort());
  });
});

/** Maximum number of words on a page for users. */
const MAX_WORDS = 3_000;

/**
 * Counts the words of a page: texts between white space with a letter or a digit, also those in tables.
 * Code blocks are not counted, because they are copied rather than read.
 */
function wordsOf(path: string): number {
  const text = read(path).replaceAll(/^ *```.*?^ *```$/gms, '');
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

describe('a page for users', () => {
  // Records of decisions and evidence for auditors are for other readers.
  const pages = DOCUMENTS.filter((path) => /^docs\/(?!adr\/|guarantees\/)/.test(path));

  it('has at most 3,000 words', () => {
    expect(pages.length).toBeGreaterThan(50);
    const counts = pages.map((path): [string, number] => [path, wordsOf(path)]);
    expect(counts.filter(([, words]) => words > MAX_WORDS)).toEqual([]);
    // Counts words at all.
    expect(Math.min(...counts.map(([, words]) => words))).toBeGreaterThan(50);
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

/** Returns the cells of the first table after a heading, without the head of the table. */
function tableOf(path: string, heading: string): string[][] {
  const lines = (read(path).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').split('\n');
  const start = lines.findIndex((line) => line.startsWith('| -'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  const rows = lines.slice(start + 1, end);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const inCode = (name: string): string => `\`${name}\``;

describe('docs/api/columns.md', () => {
  it('describes every column type as its descriptor does', () => {
    expect(tableOf('docs/api/columns.md', 'Column types')).toEqual(
      COLUMN_TYPE_NAMES.map((type) => [inCode(type), COLUMN_TYPES[type].description]),
    );
  });
});

describe('the introduction of the API description', () => {
  it('describes every column type as its descriptor does', () => {
    const rows = COLUMN_TYPE_NAMES.map(
      (type) => `| ${inCode(type)} | ${COLUMN_TYPES[type].description} |`,
    );
    expect(INTRODUCTION).toContain(`|---|---|\n${rows.join('\n')}\n\n`);
  });
});

/** Returns names as a list in a sentence. */
const listed = (names: readonly string[]): string =>
  names.join(', ').replace(/, ([^,]*)$/, ' and $1');

describe('docs/api/filtering.md', () => {
  it('describes every filter operator as its descriptor does, with the column types', () => {
    // Computed columns have no operators, which the text says.
    const stored = COLUMN_TYPE_NAMES.filter((type) => !isComputed(type));
    const rows = Object.entries(OPERATORS).flatMap(([group, operators]) => {
      const has = (type: (typeof COLUMN_TYPE_NAMES)[number]): boolean =>
        COLUMN_TYPES[type].operators.some((name) => name === group);
      const without = stored.filter((type) => !has(type)).map(inCode);
      const some = stored.filter(has).map(inCode).join(', ');
      const all = without.length === 0 ? 'all' : `all except ${listed(without)}`;
      const types = without.length <= 3 ? all : some;
      return operators.map(({ name, description }) => [inCode(name), description, types]);
    });
    expect(tableOf('docs/api/filtering.md', 'Filter')).toEqual(rows);
  });

  it('names the column types that q searches', () => {
    const searched = COLUMN_TYPE_NAMES.filter((type) => isSearched(type)).map(inCode);
    const text = read('docs/api/filtering.md').split('\n## Search\n')[1]?.split('\n## ')[0] ?? '';
    const [types = ''] = /in any .* column/.exec(text) ?? [];
    expect(types.match(/`[a-zA-Z]+`/g)).toEqual(searched);
  });
});
