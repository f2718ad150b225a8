import { ApiError } from '../../../api/api-error';
import type { Column } from '../../../datagrids/datagrid';
import { quoted } from '../../../text/words';
import { gridText } from '../../../text/grid-text';
import { authorName, listedChange, shownCells } from './change';
import { pauseAfter } from './change-feed';
import { outdatedMessage, type Outdated } from './outdated';

/** Titles of linked rows, which these columns do not have. */
const TITLES = { titleOf: (): undefined => undefined };

const column = (key: string): Column => ({
  key,
  title: key.toUpperCase(),
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  options: {},
});

const USERS = [
  {
    id: 'ada',
    email: 'ada@example.com',
    role: 'editor',
    isService: false,
    workspaceRoles: [],
    suspended: false,
    hasPassword: true,
    hasSecondFactor: false,
    createdAt: '2026-11-21T09:30:00.000Z',
  },
] as const;

describe('authorName', () => {
  it.each([
    [{ userId: 'me', keyId: null }, 'You'],
    [{ userId: 'me', keyId: 'k' }, 'You, with an API key'],
    [{ userId: 'me', keyId: 'own' }, `You, with the key ${quoted('Stock sync')}`],
    [{ userId: 'ada', keyId: null }, 'ada@example.com'],
    [{ userId: 'eve', keyId: 'k' }, 'Another user, with an API key'],
    [null, 'An operator or the service'],
    [undefined, undefined],
  ])('calls %j %s', (by, name) => {
    expect(authorName(by, 'me', USERS, [{ id: 'own', name: 'Stock sync' }])).toBe(name);
  });

  it.each([
    [{ userId: 'me', keyId: null }, 'you'],
    [{ userId: 'me', keyId: 'k' }, 'you, with an API key'],
    [{ userId: 'ada', keyId: null }, 'ada@example.com'],
    [{ userId: 'eve', keyId: null }, 'another user'],
    [null, 'an operator or the service'],
  ])('calls %j %s within a sentence', (by, name) => {
    expect(authorName(by, 'me', USERS, [], gridText.authors.within)).toBe(name);
  });
});

describe('shownCells', () => {
  const values = { a: 'x'.repeat(100), b: 'same', c: 'c', d: 'd', e: 'e' };
  const row = { id: 1, values, revision: 2, createdAt: 'then', updatedAt: 'now' };
  const columns = ['a', 'b', 'c', 'd', 'e', 'f'].map(column);

  it('returns the changed values, shortened, if the values before are known', () => {
    const change = listedChange({ op: 'set', row }, { ...values, a: 'old', c: 'was' });
    expect(shownCells(change, columns, TITLES)).toEqual({
      cells: [
        { title: 'A', value: `${'x'.repeat(80)}…`, before: 'old' },
        { title: 'C', value: 'c', before: 'was' },
      ],
      others: 0,
      isWhole: false,
    });
  });

  it('returns the first values of the row otherwise, says so, and counts the others', () => {
    const change = listedChange({ op: 'set', row }, undefined);
    const { cells, others, isWhole } = shownCells(change, columns, TITLES);
    expect(isWhole).toBe(true);
    const created = listedChange({ op: 'set', row: { ...row, updatedAt: 'then' } }, undefined);
    expect(shownCells(created, columns, TITLES).isWhole).toBe(false);
    expect(cells.map(({ title }) => title)).toEqual(['A', 'B', 'C', 'D']);
    expect(others).toBe(1);
  });
});

describe('pauseAfter', () => {
  const error = (status: number, retryAfter?: number): ApiError =>
    new ApiError(status, 'code', 'message', [], undefined, retryAfter);

  it('waits longer after each failure of the server or the network, and as long as it says', () => {
    expect([0, 1, 2, 10].map((failures) => pauseAfter(error(0), failures))).toEqual([
      1_000, 2_000, 4_000, 30_000,
    ]);
    expect(pauseAfter(error(429, 7), 0)).toBe(7_000);
    expect(pauseAfter(error(500), 0)).toBe(1_000);
    expect(pauseAfter(new ApiError(410, 'cursor_expired', 'message'), 5)).toBe(1_000);
  });

  it('gives up if the datagrid or the session is gone', () => {
    expect([401, 403, 404].map((status) => pauseAfter(error(status), 0))).toEqual(
      Array.from({ length: 3 }, () => undefined),
    );
  });
});

describe('the note about changes', () => {
  const none = { rows: 0, isMore: false, columns: null };

  it('counts rows, and names other changes', () => {
    const columns = [column('a')];
    const shown = { revision: 5, columns };
    expect(outdatedMessage(none, shown)).toBeUndefined();
    expect(outdatedMessage({ ...none, rows: 1 }, shown)).toMatch(
      /^1 row was added, deleted or moved/,
    );
    expect(outdatedMessage({ ...none, rows: 1_200 }, shown)).toMatch(/^1,200 rows were added/);
    expect(outdatedMessage({ ...none, rows: 1, isMore: true }, shown)).toMatch(/^Many rows/);
    const changedTo = (revision: number, ...after: Column[]): Outdated => {
      return { ...none, columns: { revision, columns: after } };
    };
    expect(outdatedMessage(changedTo(6, ...columns), shown)).toBeUndefined();
    // The screen has loaded the columns after this change.
    expect(outdatedMessage(changedTo(5, column('b')), shown)).toBeUndefined();
    expect(outdatedMessage(changedTo(6, column('b')), shown)).toMatch(/^The columns have/);
  });
});
