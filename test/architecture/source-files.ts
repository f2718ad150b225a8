import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

export interface SourceFile {
  /** From `src`, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

export interface Import {
  readonly from: string;
  /** A path as `SourceFile.path`, or the name of a package. */
  readonly to: string;
}

const ROOT = join(__dirname, '../../src');

/** Every file of the service but tests and what they share. */
export const SOURCE_FILES: readonly SourceFile[] = readdirSync(ROOT, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|\/testing\//.test(path))
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  });

/** Every import, of types too. */
export const IMPORTS: readonly Import[] = SOURCE_FILES.flatMap(({ path, text }) =>
  ts.preProcessFile(text).importedFiles.map(({ fileName }) => ({
    from: path,
    to: fileName.startsWith('.') ? sourceOf(posix.join(dirname(path), fileName)) : fileName,
  })),
);

/** What is loaded as the program runs is named with the extension it then has. */
function sourceOf(path: string): string {
  return `${path.replace(/\.js$/, '')}.ts`;
}

export const isOwn = ({ to }: Import): boolean => SOURCE_FILES.some(({ path }) => path === to);

/** Such as `rows`; empty for what stands in `src` itself. */
export const folderOf = (path: string): string =>
  path.includes('/') ? (path.split('/')[0] ?? '') : '';

/** One line an import, for a test's message. */
export const importsThat = (isWrong: (edge: Import) => boolean): string[] =>
  IMPORTS.filter(isWrong).map(({ from, to }) => `${from} imports ${to}`);
