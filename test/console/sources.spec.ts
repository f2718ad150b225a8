import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../../console/src');

const files = readdirSync(ROOT, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, lines: text.split('\n').length - 1 };
  })
  .sort((a, b) => a.lines - b.lines);

const sizeOf = (share: number): number => files[Math.ceil(files.length * share) - 1]?.lines ?? 0;

const imports = files.flatMap(({ path, text }) =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({
    from: path,
    to: fileName.startsWith('.') ? posix.join(posix.dirname(path), fileName) : fileName,
  })),
);

const importsThat = (isWrong: (edge: { from: string; to: string }) => boolean): string[] =>
  imports.filter(isWrong).map(({ from, to }) => `${from} imports ${to}`);

describe("the console's sources", () => {
  it('are small: median under 60 lines, 95 of 100 under 200, none over 300', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(sizeOf(0.5)).toBeLessThan(60);
    expect(sizeOf(0.95)).toBeLessThan(200);
    expect(files.filter(({ lines }) => lines > 300).map(({ path }) => path)).toEqual([]);
  });

  it('use the grid library in the page of the grid alone', () => {
    expect(
      importsThat(({ from, to }) => to.startsWith('ag-grid') && !from.startsWith('grid/')),
    ).toEqual([]);
  });

  it('speak to the server through the API client alone', () => {
    // The one that prints programs for others has their calls in it.
    const isSpeaker = (path: string): boolean =>
      path.startsWith('api/') || path === 'datagrids/api-panel/typescript.ts';
    const wrong = files.filter(
      ({ path, text }) => !isSpeaker(path) && /\bfetch\(|XMLHttpRequest/.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('know nothing of a page in what all pages share', () => {
    const shared = /^(api|common|theme)\//;
    const wrong = importsThat(
      ({ from, to }) =>
        shared.test(from) &&
        /^(sign-in|invite|profile|users|workspaces|datagrids|grid|shell|session)\//.test(to),
    );
    expect(imports.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });
});
