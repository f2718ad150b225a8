import { NO_STEP, stepsBetween, UndoStack, type Step } from './undo-stack';

const step = (name: string): Step => ({
  ...NO_STEP,
  name,
  cells: [{ rowId: 1, key: 'a', before: '1', after: '2' }],
});

describe('the undo stack', () => {
  it('undoes the last action first, and forgets undone actions after a new one', () => {
    const stack = new UndoStack();
    const [one, two] = [step('one'), step('two')];
    stack.push(one);
    stack.push(two);
    expect(stack.takeUndo()).toBe(two);
    stack.pushUndone(two);
    expect(stack.takeUndo()).toBe(one);
    stack.push(step('three'));
    expect(stack.takeRedo()).toBeUndefined();
  });

  it('undoes the action of a message once, also after later actions', () => {
    const stack = new UndoStack();
    const [one, two] = [step('one'), step('two')];
    stack.push(one);
    stack.push(two);
    expect(stack.takeUndo(one)).toBe(one);
    expect(stack.takeUndo(one)).toBeUndefined();
    expect(stack.takeUndo()).toBe(two);
    expect(stack.takeUndo()).toBeUndefined();
  });

  it('tells a listener about every change of what can be undone or redone', () => {
    const stack = new UndoStack();
    const seen: boolean[][] = [];
    const stop = stack.followChanges(() => {
      seen.push([stack.has('undo'), stack.has('redo')]);
    });
    const one = step('one');
    stack.push(one);
    stack.takeUndo();
    stack.pushUndone(one);
    stack.takeRedo();
    stack.pushDone(one);
    stop();
    stack.takeUndo();
    expect(seen).toEqual([
      [true, false],
      [false, false],
      [false, true],
      [false, false],
      [true, false],
    ]);
  });

  it('keeps no action that changed nothing', () => {
    const stack = new UndoStack();
    stack.push({ ...NO_STEP, name: 'Edit' });
    expect(stack.takeUndo()).toBeUndefined();
  });

  it('keeps the removal of a column', () => {
    const stack = new UndoStack();
    const removal = {
      ...NO_STEP,
      name: 'Removed',
      columns: [{ id: 1, key: 'a', isRemoved: true }],
    };
    stack.push(removal);
    expect(stack.takeUndo()).toBe(removal);
  });

  it('keeps the deletion of rows, and notifies listeners of announced actions only', () => {
    const stack = new UndoStack();
    const told: Step[] = [];
    const stop = stack.subscribe((each) => told.push(each));
    const row = { id: 1, revision: 1, schemaVersion: 1, values: {} };
    const deletion = { ...NO_STEP, name: 'Deleted', deleted: [row] };
    stack.push(step('one'));
    stack.announce(deletion);
    stop();
    stack.announce(step('three'));
    expect(told).toEqual([deletion]);
    stack.takeUndo();
    expect(stack.takeUndo()).toBe(deletion);
  });

  it('has only the changed values of the columns that were written', () => {
    const row = { id: 1, revision: 1, schemaVersion: 1 };
    const before = { ...row, values: { a: 1, b: 'x', c: true } };
    const after = { ...row, revision: 2, values: { a: 2, b: 'x', c: false } };
    expect(stepsBetween(before, after, ['a', 'b'])).toEqual([
      { rowId: 1, key: 'a', before: '1', after: '2' },
    ]);
  });
});
