import { EditStore } from './edit-store';
import type { Attempt, Outcome } from './row-edit';
import type { KnownRow } from '../../cells/known-row';

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

/** A service whose responses the test gives. */
class Service {
  readonly attempts: Attempt[] = [];
  private readonly responses: ((outcome: Outcome) => void)[] = [];

  readonly store = new EditStore((attempt) => {
    this.attempts.push(attempt);
    return new Promise((resolve) => this.responses.push(resolve));
  }, COLUMNS);

  async respond(outcome: Outcome): Promise<void> {
    const next = this.responses.shift();
    if (!next) throw new Error('Nothing was sent.');
    next(outcome);
    await this.settle();
  }

  /** Waits until all pending promises are settled. */
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

describe('EditStore', () => {
  it('saves an edit against the displayed version and then removes it', async () => {
    const service = new Service();
    const saved: (KnownRow | null)[] = [];
    service.store.subscribe((_, after) => saved.push(after));
    service.store.type(row(3), 'name', 'Basel');
    expect(service.sent).toEqual([{ name: '"Basel"' }]);
    expect(service.attempts[0]?.base.revision).toBe(3);
    expect(service.state('name')).toBe('saving');
    await service.respond({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(service.store.all()).toEqual([]);
    expect(saved.at(-1)).toEqual(row(4, { name: 'Basel', size: 1 }));
  });

  it('sends the edits of one row one after another, each based on the previous result', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    service.store.type(row(3), 'size', '5');
    service.store.type(row(3), 'name', 'Genf');
    expect(service.sent).toHaveLength(1);
    await service.respond({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(service.sent).toEqual([{ name: '"Basel"' }, { name: '"Genf"', size: '5' }]);
    expect(service.attempts[1]?.base.revision).toBe(4);
  });

  it('stores an edit without a response and resends it unchanged', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.respond(LOST);
    expect(service.store.cell(7, 'name')).toEqual({
      typed: 'Basel',
      state: 'unsaved',
      message: 'The server cannot be reached.',
    });
    service.store.retry();
    expect(service.attempts[1]).toBe(service.attempts[0]);
    await service.respond({ kind: 'saved', row: row(4) });
    expect(service.store.all()).toEqual([]);
  });

  it('sends an edit after a lost response once the outcome is known, even if it undoes the first', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.respond(LOST);
    service.store.type(row(3), 'name', 'Bern');
    expect(service.attempts[1]).toBe(service.attempts[0]);
    await service.respond({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(service.sent[2]).toEqual({ name: '"Bern"' });
    expect(service.attempts[2]?.base.revision).toBe(4);
  });

  it('stores a rejected edit with its reason and saves the other edits of the row', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.respond(LOST);
    service.store.type(row(3), 'size', '9007199254740993');
    await service.respond({ kind: 'saved', row: row(4) });
    service.store.type(row(4), 'name', 'Genf');
    await service.respond({
      kind: 'rejected',
      message: 'size',
      fields: new Map([['size', 'must be an integer']]),
    });
    expect(service.store.cell(7, 'size')).toEqual({
      typed: '9007199254740993',
      state: 'rejected',
      message: 'must be an integer',
    });
    expect(service.sent.at(-1)).toEqual({ name: '"Genf"' });
    await service.respond({ kind: 'saved', row: row(5) });
    expect(service.store.all()).toHaveLength(1);
  });

  it('rejects an invalid edit without a request', () => {
    const service = new Service();
    service.store.type(row(3), 'extra', '{"a":');
    expect(service.sent).toEqual([]);
    expect(service.store.cell(7, 'extra')).toMatchObject({ typed: '{"a":', state: 'rejected' });
  });

  it('holds a conflicting edit until the user keeps it', async () => {
    const service = new Service();
    const theirs = row(9, { name: 'Zug', size: 1 });
    service.store.type(row(3), 'name', 'Basel');
    await service.respond({ kind: 'outdated', theirs });
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

  it('removes a conflicting edit if the user discards it', async () => {
    const service = new Service();
    const theirs = row(9, { name: 'Zug', size: 1 });
    const shown: (KnownRow | null)[] = [];
    service.store.type(row(3), 'name', 'Basel');
    await service.respond({ kind: 'outdated', theirs });
    service.store.subscribe((_, now) => shown.push(now));
    service.store.discard(7);
    expect(service.store.all()).toEqual([]);
    expect(shown).toEqual([theirs]);
  });

  it('stores the edits of a deleted row until they are discarded', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.respond({ kind: 'outdated', theirs: null });
    expect(service.store.all()[0]).toMatchObject({ theirs: null });
    service.store.keepMine(7);
    expect(service.sent).toHaveLength(1);
    expect(service.store.cell(7, 'name')?.typed).toBe('Basel');
  });

  it('saves without a question if others changed other columns, and asks if they never stop', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    for (let revision = 4; revision < 14; revision += 1) {
      await service.respond({
        kind: 'outdated',
        theirs: row(revision, { name: 'Bern', size: revision }),
      });
      expect(service.state('name')).toBe('saving');
      expect(service.attempts.at(-1)?.base.revision).toBe(revision);
    }
    expect(service.sent.at(-1)).toEqual({ name: '"Basel"' });
    await service.respond({ kind: 'outdated', theirs: row(14, { name: 'Bern', size: 14 }) });
    expect(service.state('name')).toBe('conflict');
  });

  it('resends an edit if only the columns changed', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.respond({ kind: 'outdated', theirs: { ...row(3), schemaVersion: 5 } });
    expect(service.attempts[1]?.base.schemaVersion).toBe(5);
    expect(service.sent[1]).toEqual({ name: '"Basel"' });
  });

  it('removes an edit if the row already has its values', async () => {
    const service = new Service();
    service.store.type(row(3), 'name', 'Basel');
    await service.respond({ kind: 'outdated', theirs: row(4, { name: 'Basel', size: 2 }) });
    expect(service.store.all()).toEqual([]);
  });

  it('ignores an unchanged value', () => {
    const service = new Service();
    service.store.type(row(3), 'size', '1');
    expect(service.sent).toEqual([]);
    expect(service.store.all()).toEqual([]);
  });

  it('is settled when all rows are saved', async () => {
    const service = new Service();
    let isSettled = false;
    service.store.type(row(3), 'name', 'Basel');
    void service.store.settled().then(() => (isSettled = true));
    await service.settle();
    expect(isSettled).toBe(false);
    await service.respond({ kind: 'saved', row: row(4, { name: 'Basel', size: 1 }) });
    expect(isSettled).toBe(true);
  });
});
