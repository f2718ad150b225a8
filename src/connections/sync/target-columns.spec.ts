import type { TargetColumn, TargetType } from '../../destinations/destination';
import { columnPlan } from './target-columns';

const column = (id: number, type: TargetType, name = `c${String(id)}`): TargetColumn => {
  return { id, name, type };
};

describe('the change of the columns of a table', () => {
  it('is none if the columns stay, in whatever order', () => {
    const [a, b] = [column(1, 'text'), column(2, 'integer')];
    expect(columnPlan([a, b], [b, a])).toBeNull();
  });

  it.each([
    ['integer', 'double'],
    ['integer', 'text'],
    ['timestamp', 'text'],
  ] as const)('keeps the values of a column of %s that becomes %s', (former, type) => {
    const after = column(1, type);
    const plan = { removed: [], widened: [after], added: [] };
    expect(columnPlan([column(1, former)], [after])).toEqual(plan);
  });

  it.each([
    ['double', 'integer'],
    ['text', 'integer'],
    ['decimal', 'double'],
  ] as const)('replaces a column of %s that becomes %s', (former, type) => {
    const [before, after] = [column(1, former), column(1, type)];
    const plan = { removed: [before], widened: [], added: [after] };
    expect(columnPlan([before], [after])).toEqual(plan);
  });

  it('removes and adds columns by their ids, whatever their names are', () => {
    const [before, after] = [column(1, 'text', 'a'), column(2, 'text', 'a')];
    const plan = { removed: [before], widened: [], added: [after] };
    expect(columnPlan([before], [after])).toEqual(plan);
  });
});
