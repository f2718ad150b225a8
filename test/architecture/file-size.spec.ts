import { SOURCE_FILES } from './source-files';

const files = SOURCE_FILES.filter(({ path }) => !path.includes('/migrations/')).sort(
  (a, b) => a.lines - b.lines,
);

/** The size that `share` of the files do not exceed. */
const sizeOf = (share: number): number => files[Math.ceil(files.length * share) - 1]?.lines ?? 0;

describe('file sizes', () => {
  it('have a median under 60 lines', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(sizeOf(0.5)).toBeLessThan(60);
  });

  it('are under 200 lines for 95 of 100', () => {
    expect(sizeOf(0.95)).toBeLessThan(200);
  });

  it('are never over 300 lines', () => {
    expect(files.filter(({ lines }) => lines > 300).map(({ path }) => path)).toEqual([]);
  });
});
