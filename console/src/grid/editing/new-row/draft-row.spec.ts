import { ApiError } from '../../../api/api-error';
import type { Column, Row } from '../../../datagrids/datagrid';
import { DraftRow } from './draft-row';

jest.mock('../../../common/leave-guard', () => ({ guardWindow: () => () => undefined }));
jest.mock('../../data/row-calls', () => ({}));

const column = (key: string, type: Column['type'], required = false): Column => ({
  key,
  title: key,
  type,
  required,
  unique: false,
  indexed: false,
  options: {},
});
const COLUMNS = [column('name', 'text', true), column('n', 'integer')];
const ROW: Row = { id: 7, values: {}, revision: 1, createdAt: '', updatedAt: '' };

const states = (draft: DraftRow): Record<string, string> =>
  Object.fromEntries([...draft.typed()].map(([key, { state }]) => [key, state]));

describe('the row that is typed', () => {
  it('is created with all values in one request, and is empty afterwards', async () => {
    const bodies: string[] = [];
    const draft = new DraftRow((body) => {
      bodies.push(body);
      return Promise.resolve(ROW);
    });
    draft.type('name', 'Ada');
    draft.type('n', '12345678901234567890');
    expect(states(draft)).toEqual({ name: 'typed', n: 'typed' });
    expect(await draft.save(COLUMNS)).toBe(ROW);
    expect(bodies).toEqual(['{"values":{"name":"Ada","n":12345678901234567890}}']);
    expect(draft.typed().size).toBe(0);
  });

  it('is not created without a value in a required column, which is marked', async () => {
    const create = jest.fn<Promise<Row>, []>();
    const draft = new DraftRow(create);
    draft.type('n', '5');
    expect(await draft.save(COLUMNS)).toBeNull();
    expect(states(draft)).toEqual({ n: 'typed', name: 'rejected' });
    expect(draft.typed().get('name')?.message).toBe('Enter a value.');
    expect(create).not.toHaveBeenCalled();
  });

  it('keeps what was typed if the service rejects a value, and names the cell', async () => {
    const details = [{ field: 'values.n', code: 'invalid_type', message: 'expected an integer' }];
    const draft = new DraftRow(() =>
      Promise.reject(
        new ApiError(400, 'invalid_request', 'values.n: expected an integer', details),
      ),
    );
    draft.type('name', 'Ada');
    draft.type('n', '9007199254740993');
    expect(await draft.save(COLUMNS)).toBeNull();
    draft.recall();
    expect(states(draft)).toEqual({ name: 'typed', n: 'rejected' });
    expect(draft.typed().get('n')).toMatchObject({
      typed: '9007199254740993',
      message: 'expected an integer',
    });
  });

  it('is sent again with the same key after an outage, so that it is created once', async () => {
    const keys: string[] = [];
    const draft = new DraftRow((_body, key) => {
      keys.push(key);
      return keys.length === 1
        ? Promise.reject(new ApiError(0, 'unreachable', 'The server cannot be reached.'))
        : Promise.resolve(ROW);
    });
    draft.type('name', 'Ada');
    expect(await draft.save(COLUMNS)).toBeNull();
    draft.recall();
    expect(draft.message).toBe('The server cannot be reached.');
    expect(await draft.save(COLUMNS)).toBe(ROW);
    expect(keys[0]).toBe(keys[1]);
  });

  it('leaves the line free for the next rows while it is sent, and they follow in order', async () => {
    const bodies: string[] = [];
    const draft = new DraftRow(async (body) => {
      bodies.push(body);
      await Promise.resolve();
      return ROW;
    });
    const saved = ['a', 'b', 'c'].map((name) => {
      draft.type('name', name);
      return draft.save(COLUMNS);
    });
    expect(draft.hasUnsaved).toBe(true);
    draft.type('name', 'd');
    await Promise.all(saved);
    expect(bodies).toEqual(['a', 'b', 'c'].map((name) => `{"values":{"name":"${name}"}}`));
    expect(draft.typed().get('name')?.typed).toBe('d');
  });

  it('returns after a failure when the next row has left the line, with the same key', async () => {
    const keys: string[] = [];
    const draft = new DraftRow((_body, key) => {
      keys.push(key);
      return keys.length === 1
        ? Promise.reject(new ApiError(0, 'unreachable', 'The server cannot be reached.'))
        : Promise.resolve(ROW);
    });
    draft.type('name', 'first');
    const first = draft.save(COLUMNS);
    draft.type('name', 'second');
    expect(await first).toBeNull();
    draft.recall();
    expect(draft.typed().get('name')?.typed).toBe('second');
    expect(draft.waiting).toBe(1);
    expect(await draft.save(COLUMNS)).toBe(ROW);
    draft.recall();
    expect(draft.typed().get('name')?.typed).toBe('first');
    expect(draft.message).toBe('The server cannot be reached.');
    expect(await draft.save(COLUMNS)).toBe(ROW);
    expect(keys[2]).toBe(keys[0]);
    expect(draft.hasUnsaved).toBe(false);
  });

  it('is not sent if it is empty', async () => {
    const create = jest.fn<Promise<Row>, []>();
    const draft = new DraftRow(create);
    draft.type('name', 'x');
    draft.type('name', '');
    expect(await draft.save(COLUMNS)).toBeNull();
    expect(create).not.toHaveBeenCalled();
  });
});
