import { IMPORTS, SOURCE_FILES } from './source-files';

const files = SOURCE_FILES.filter(({ path }) => !path.includes('/migrations/'));

/** Files that may be small: modules, controllers, entities, DTOs and declarations. */
const isNest = (path: string): boolean => /\.(module|controller|entity|dto|d)\.ts$/.test(path);

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

describe('source files', () => {
  it('have at most 400 lines', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter(({ lines }) => lines > 400).map(({ path }) => path)).toEqual([]);
  });

  it('have at least 40 lines if only one file of the same folder imports them', () => {
    const wrong = files.filter(({ path, lines }) => {
      const importers = IMPORTS.filter(({ to }) => to === path);
      const [only] = importers;
      return (
        lines < 40 &&
        !isNest(path) &&
        importers.length === 1 &&
        only !== undefined &&
        folderOf(only.from) === folderOf(path)
      );
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});
