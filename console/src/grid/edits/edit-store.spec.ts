import { EditStore } from './edit-store';
import type { Attempt, KnownRow, Outcome } from './row-edit';

const COLUMNS = new Map([
  ['name', { type: 'text' as const }],
  ['size', { type: 'integer' as const }],
  ['extra', { type: 'json' as const }],
]);

const row = (
  revision: number,
  values: KnownRow['values'] = { name: 'Bern', size: 1 },
): KnownRow => ({
  id: 7,
  values,
  revision,
  schemaVersion: 2,
});

/** A service whose answers are given by hand. */
class Service {
  readonly attempts: Attempt[] = [];
  private readonly answers: ((outcome: Outcome) => void)[] = [];

  readonly store = new EditStore((attempt) => {
    this.attempts.push(attempt);
    return new Promise((resolve) => this.answers.push(resolve));
  }, COLUMNS);

  async answer(outcome: Outcome): Promise<void> {
    const next = this.answers.shift();
    if (!next) throw new Error('Nothing was sent.');
    next(outcome);
    await this.settle();
  }

  /** Until all that waits for nothing from outside is done. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  /** The JSON texts of the attempts so far. */
  get sent(): Record<string, string>[] {
    return this.attempts.map(({ values }) => Object.fromEntries(values));
  }

  state(key: string): string | undefined {
    return this.store.cell(7, key)?.state;
  }
}

const LOST: Outcome = { kind: 'unknown', message: 'The server cannot be reached.' };

describe('edits in the grid', () => {
  it('are saved against the version that was seen, and then removed', async () => {
    const service = new Service();
    const saved: (KnownRow | null)[] = [];
    service.store.subscribe((_, after) => saved.push(after));
    service.store.type(row(3), 'name', 'Basel');
    expect(service.sent).toEqual([{ name: '"Basel"' }]);
    expect(service.attempts[0]?.base.revision).toBe(3);
    expect(service.state('name')).toBe('saving');
    await service.answer({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(service.store.all()).toEqual([]);
    expect(saved.at(-1)).toEqual(row(4, { name: 'Basel', size: 1 }));
  });

  it('of one row are sent one after the other, each based on the result of the one before', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    service.store.type(row(3), 'size', '5');
    service.store.type(row(3), 'name', 'Genf');
    expect(service.sent).toHaveLength(1);
    await service.answer({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(service.sent).toEqual([{ name: '"Basel"' }, { name: '"Genf"', size: '5' }]);
    expect(service.attempts[1]?.base.revision).toBe(4);
  });

  it('are kept if no response comes, and sent again unchanged', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.answer(LOST);
    expect(service.store.cell(7, 'name')).toEqual({
      typed: 'Basel',
      state: 'unsaved',
      message: 'The server cannot be reached.',
    });
    service.store.retry();
    expect(service.attempts[1]).toBe(service.attempts[0]);
    await service.answer({ kind: 'saved', row: row(4) });
    expect(service.store.all()).toEqual([]);
  });

  it('made after a lost response are sent once its outcome is known, also if they undo it', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.answer(LOST);
    service.store.type(row(3), 'name', 'Bern');
    expect(service.attempts[1]).toBe(service.attempts[0]);
    await service.answer({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(service.sent[2]).toEqual({ name: '"Bern"' });
    expect(service.attempts[2]?.base.revision).toBe(4);
  });

  it('that are rejected keep what was typed and the reason, and others of the row are saved', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.answer(LOST);
    service.store.type(row(3), 'size', 'many');
    await service.answer({ kind: 'saved', row: row(4) });
    service.store.type(row(4), 'name', 'Genf');
    await service.answer({
      kind: 'refused',
      message: 'size',
      fields: new Map([['size', 'must be an integer']]),
    });
    expect(service.store.cell(7, 'size')).toEqual({
      typed: 'many',
      state: 'refused',
      message: 'must be an integer',
    });
    expect(service.sent.at(-1)).toEqual({ name: '"Genf"' });
    await service.answer({ kind: 'saved', row: row(5) });
    expect(service.store.all()).toHaveLength(1);
  });

  it('that cannot be sent are rejected without a request', () => {
    const service = new Service();
    service.store.type(row(3), 'extra', '{"a":');
    expect(service.sent).toEqual([]);
    expect(service.store.cell(7, 'extra')).toMatchObject({ typed: '{"a":', state: 'refused' });
  });

  it('that conflict with a change by somebody else wait until the user keeps them', async () => {
    const service = new Service();
    const theirs = row(9, { name: 'Zug', size: 1 });
    service.store.type(row(3), 'name', 'Basel');
    await service.answer({ kind: 'moved', theirs });
    expect(service.state('name')).toBe('conflict');
    expect(service.store.all()[0]?.theirs).toEqual(theirs);
    service.store.retry();
    expect(service.sent).toHaveLength(1);
    service.store.keepMine(7);
    await service.settle();
    expect(service.sent[1]).toEqual({ name: '"Basel"' });
    expect(service.attempts[1]?.base.revision).toBe(9);
    expect(service.attempts[1]?.idempotencyKey).not.toBe(service.attempts[0]?.idempotencyKey);
  });

  it('that conflict with a change by somebody else are removed if the user discards them', async () => {
    const service = new Service();
    const theirs = row(9, { name: 'Zug', size: 1 });
    const shown: (KnownRow | null)[] = [];
    service.store.type(row(3), 'name', 'Basel');
    await service.answer({ kind: 'moved', theirs });
    service.store.subscribe((_, now) => shown.push(now));
    service.store.discard(7);
    expect(service.store.all()).toEqual([]);
    expect(shown).toEqual([theirs]);
  });

  it('of a deleted row are kept until they are discarded', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.answer({ kind: 'moved', theirs: null });
    expect(service.store.all()[0]).toMatchObject({ theirs: null });
    service.store.keepMine(7);
    expect(service.sent).toHaveLength(1);
    expect(service.store.cell(7, 'name')?.typed).toBe('Basel');
  });

  it('do not ask the user if only the columns changed', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.answer({ kind: 'moved', theirs: { ...row(3), schemaVersion: 5 } });
    expect(service.attempts[1]?.base.schemaVersion).toBe(5);
    expect(service.sent[1]).toEqual({ name: '"Basel"' });
  });

  it('do not ask the user if the row already has their values', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.answer({ kind: 'moved', theirs: row(4, { name: 'Basel', size: 2 }) });
    expect(service.store.all()).toEqual([]);
  });

  it('are not made if the value is typed as it is', () => {
    const service = new Service();
    service.store.type(row(3), 'size', '1');
    expect(service.sent).toEqual([]);
    expect(service.store.all()).toEqual([]);
  });
});
