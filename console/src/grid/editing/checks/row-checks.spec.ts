import type { KnownRow } from '../../cells/known-row';
import { RowChecks } from './row-checks';

const row = (id: number): KnownRow => ({ id, values: {}, revision: 1, schemaVersion: 1 });

const idsIn = (checks: RowChecks): number[] => checks.current().map(({ id }) => id);

describe('the checked rows', () => {
  it('are added and removed', () => {
    const checks = new RowChecks();
    checks.set([row(1), row(2), row(3)], true);
    checks.set([row(2), row(9)], false);
    expect(idsIn(checks)).toEqual([1, 3]);
    expect([checks.has(1), checks.has(2)]).toEqual([true, false]);
  });

  it('are replaced by all rows, and cleared', () => {
    const checks = new RowChecks();
    checks.set([row(1)], true);
    checks.replace([row(4), row(5)]);
    expect(idsIn(checks)).toEqual([4, 5]);
    checks.clear();
    expect(idsIn(checks)).toEqual([]);
  });

  it('notify listeners, and keep their array until they change', () => {
    const checks = new RowChecks();
    const seen: number[] = [];
    const stop = checks.subscribe(() => seen.push(checks.current().length));
    checks.clear();
    checks.set([row(1)], true);
    expect(checks.current()).toBe(checks.current());
    stop();
    checks.clear();
    expect(seen).toEqual([1]);
  });
});
