import { type DueRun, RunSlots, type SlottedRun } from './run-slots';

/** A run of an account, and how it ends. */
class Run implements SlottedRun {
  isSlow = false;
  isEnding = false;
  end: () => void = () => undefined;

  constructor(readonly accountId: string) {}
}

let slots: RunSlots<Run>;

beforeEach(() => {
  // With the slow ones, there are 16 places. An account can have 2.
  slots = new RunSlots(4);
});

function start(accountId: string, isSlow = false): Run {
  const run = new Run(accountId);
  run.isSlow = isSlow;
  slots.start(run, new Promise((resolve) => (run.end = resolve)));
  return run;
}

async function end(run: Run): Promise<void> {
  run.end();
  await Promise.resolve();
  while (slots.runs.includes(run)) await Promise.resolve();
}

/** Returns what is due, in the order of its time. */
const due = (...accounts: readonly string[]): DueRun[] =>
  accounts.map((accountId, n) => ({
    connectionId: 'c',
    id: String(n),
    accountId,
    isExclusive: false,
  }));

const accountsOf = (runs: readonly { readonly accountId: string }[]): string[] =>
  runs.map(({ accountId }) => accountId);

describe('the slots of runs', () => {
  it('are given to accounts in turn, whatever the number of their older tables', () => {
    expect(accountsOf(slots.choose(due('a', 'a', 'a', 'b', 'c')))).toEqual(['a', 'b', 'c', 'a']);
  });

  it('are given to the account that has waited the longest since its last turn', async () => {
    const first = start('a');
    for (const account of ['b', 'b', 'c']) start(account);
    await end(first);
    expect(accountsOf(slots.choose(due('a', 'a', 'd')))).toEqual(['d']);
    start('d');
    expect(slots.choose(due('a', 'e'))).toEqual([]);
  });

  it('give an account no more than its share', () => {
    for (const account of ['a', 'a']) start(account, true);
    expect(accountsOf(slots.choose(due('a', 'a', 'b', 'b', 'b')))).toEqual(['b', 'b']);
  });

  it('are free once their runs are slow, until both pools are full', () => {
    const working = ['a', 'a', 'b', 'b'].map((account) => start(account));
    expect(slots.countFree()).toBe(0);
    for (const run of working) run.isSlow = true;
    expect(slots.countFree()).toBe(4);
    for (const account of ['c', 'c', 'd', 'd', 'e', 'e', 'f', 'f', 'g', 'g']) start(account, true);
    expect(slots.countFree()).toBe(2);
    expect(slots.count('slow')).toBe(14);
    for (const account of ['h', 'h']) start(account, true);
    expect(slots.countFree()).toBe(0);
  });
});

describe('the runs that end so that others get their places', () => {
  const always = (): boolean => true;

  /** Fills both pools with two runs of each of 8 accounts. */
  function fill(): Run[] {
    const accounts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    return accounts.flatMap((account) => [start(account, true), start(account, true)]);
  }

  it('are the oldest ones of accounts with the most runs, one for each account that waits', () => {
    fill();
    const replaced = slots.listReplaced(due('x', 'x', 'y', 'z'), always);
    expect(accountsOf(replaced)).toEqual(['a', 'b', 'c']);
    expect(replaced[0]).toBe(slots.runs[0]);
  });

  it('are none of accounts that have had no time yet, and none twice', () => {
    const run = fill().find(({ accountId }) => accountId === 'b');
    const isOfB = ({ accountId }: Run): boolean => accountId === 'b';
    expect(slots.listReplaced(due('x'), isOfB)).toEqual([run]);
    if (run) run.isEnding = true;
    expect(slots.listReplaced(due('x'), always)).toEqual([]);
    expect(accountsOf(slots.listReplaced(due('x', 'y'), always))).toEqual(['a']);
  });

  it('are none if only accounts with a run wait, or a place is free, or no slot is', () => {
    const runs = fill();
    expect(slots.listReplaced(due('a', 'h'), always)).toEqual([]);
    for (const run of runs.slice(-4)) run.isSlow = false;
    expect(slots.listReplaced(due('x'), always)).toEqual([]);
    slots = new RunSlots(4);
    start('a', true);
    expect(slots.listReplaced(due('x'), always)).toEqual([]);
  });
});
