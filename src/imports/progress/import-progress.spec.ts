import type { FieldError } from '../../common/error/app-error';
import { ImportProgress } from './import-progress';

const WRONG: FieldError[] = [
  { field: 'values.n', code: 'wrong_type', message: 'must be an integer' },
];

const linesOf = (progress: ImportProgress): readonly number[] | undefined =>
  progress.beat().errors?.map(({ line }) => line);

describe('ImportProgress', () => {
  it('reports rejected lines until they are stored, and later only if there are more', () => {
    const progress = new ImportProgress();
    expect(progress.beat().errors).toBeNull();
    progress.reject(3, WRONG);
    const lost = progress.beat();
    expect(lost.errors).toEqual([{ line: 3, details: WRONG }]);
    // The beat was not stored: PostgreSQL was unavailable.
    const beat = progress.beat();
    expect(beat.errors).toEqual(lost.errors);
    // Another line is rejected while the beat is being stored.
    progress.reject(5, WRONG);
    progress.noteBeat(beat);
    expect(linesOf(progress)).toEqual([3, 5]);
    progress.noteBeat(progress.beat());
    expect(progress.beat()).toMatchObject({ rejected: 2, errors: null });
    progress.rejectWritten([{ line: 4, details: WRONG }]);
    expect(linesOf(progress)).toEqual([3, 4, 5]);
  });

  it('stores the first rejected lines up to 256 KiB, whether reading or writing rejected them', () => {
    const progress = new ImportProgress();
    const long: FieldError = {
      field: 'x'.repeat(200),
      code: 'wrong_type',
      message: 'must be an integer',
    };
    const details = Array.from({ length: 10 }, () => long);
    for (let line = 1; line <= 500; line += 1) progress.reject(2 * line, details);
    progress.rejectWritten(
      Array.from({ length: 500 }, (_, index) => ({ line: 2 * index + 1, details })),
    );
    const { errors } = progress;
    const bytes = JSON.stringify(errors).length;
    expect(bytes).toBeLessThan(257 * 1024);
    expect(bytes).toBeGreaterThan(250 * 1024);
    expect(errors.map(({ line }) => line)).toEqual(errors.map((_, index) => index + 1));
    expect(progress.rejected).toBe(1_000);
  });
});
