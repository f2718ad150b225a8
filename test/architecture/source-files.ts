import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

export interface SourceFile {
  /** Path relative to `src`, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

export interface Import {
  readonly from: string;
  /** A path such as `SourceFile.path`, or the name of a package. */
  readonly to: string;
}

const ROOT = join(__dirname, '../../src');

/** All files of the service, except for tests and their helpers. */
export const SOURCE_FILES: readonly SourceFile[] = readdirSync(ROOT, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|\/testing\//.test(path))
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  });

/** All imports, including those of types. */
export const IMPORTS: readonly Import[] = SOURCE_FILES.flatMap(({ path, text }) =>
  ts.preProcessFile(text).importedFiles.map(({ fileName }) => ({
    from: path,
    to: fileName.startsWith('.') ? sourceOf(posix.join(dirname(path), fileName)) : fileName,
  })),
);

/** Dynamic imports name the extension of the compiled file. */
function sourceOf(path: string): string {
  return `${path.replace(/\.js$/, '')}.ts`;
}

export const isOwn = ({ to }: Import): boolean => SOURCE_FILES.some(({ path }) => path === to);

/** Top folder of a file, such as `rows`; empty for files in `src` itself. */
export const folderOf = (path: string): string =>
  path.includes('/') ? (path.split('/')[0] ?? '') : '';

/** Prints one import per line, for a test's message. */
export const importsThat = (isWrong: (edge: Import) => boolean): string[] =>
  IMPORTS.filter(isWrong).map(({ from, to }) => `${from} imports ${to}`);
