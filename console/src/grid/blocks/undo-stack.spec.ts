import { stepsBetween, UndoStack, type Step } from './undo-stack';

const step = (name: string): Step => ({
  name,
  cells: [{ rowId: 1, key: 'a', before: '1', after: '2' }],
  created: [],
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

  it('undoes an action of a message only while it is the last one', () => {
    const stack = new UndoStack();
    const [one, two] = [step('one'), step('two')];
    stack.push(one);
    stack.push(two);
    expect(stack.takeUndo(one)).toBeUndefined();
    expect(stack.takeUndo(two)).toBe(two);
  });

  it('keeps no action that changed nothing', () => {
    const stack = new UndoStack();
    stack.push({ name: 'Edit', cells: [], created: [] });
    expect(stack.takeUndo()).toBeUndefined();
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
