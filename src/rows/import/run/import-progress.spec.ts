import { ImportProgress } from './import-progress';

const WRONG = [{ field: 'values.n', code: 'wrong_type', message: 'must be an integer' }];

const linesOf = (progress: ImportProgress): readonly number[] | undefined =>
  progress.beat().errors?.map(({ line }) => line);

it('tells refused lines until they are written down, and then only where there are more', () => {
  const progress = new ImportProgress();
  expect(progress.beat().errors).toBeNull();
  progress.refuse(3, WRONG);
  const lost = progress.beat();
  expect(lost.errors).toEqual([{ line: 3, details: WRONG }]);
  // The beat was not stored: PostgreSQL was unavailable.
  const beat = progress.beat();
  expect(beat.errors).toEqual(lost.errors);
  // Another line is rejected while the beat is being stored.
  progress.refuse(5, WRONG);
  progress.noteBeat(beat);
  expect(linesOf(progress)).toEqual([3, 5]);
  progress.noteBeat(progress.beat());
  expect(progress.beat()).toMatchObject({ refused: 2, errors: null });
  progress.refuseWritten([{ line: 4, details: WRONG }]);
  expect(linesOf(progress)).toEqual([3, 4, 5]);
});

it('keeps the first refused lines up to 256 KiB, whether they were refused on reading or on writing', () => {
  const progress = new ImportProgress();
  const long = { field: 'x'.repeat(200), code: 'wrong_type', message: 'must be an integer' };
  const details = Array.from({ length: 10 }, () => long);
  for (let line = 1; line <= 500; line += 1) progress.refuse(2 * line, details);
  progress.refuseWritten(
    Array.from({ length: 500 }, (_, index) => ({ line: 2 * index + 1, details })),
  );
  const { errors } = progress;
  const bytes = JSON.stringify(errors).length;
  expect(bytes).toBeLessThan(257 * 1024);
  expect(bytes).toBeGreaterThan(250 * 1024);
  expect(errors.map(({ line }) => line)).toEqual(errors.map((_, index) => index + 1));
  expect(progress.refused).toBe(1_000);
});
