import { PageStarts, type ReadPage } from './page-starts';

const KEY = 'account datagrid';
const COLUMNS = { schemaVersion: 1, hasComputed: true };
const WRITE = { revision: 7, writtenAtMs: 99 };

const page = (change: Partial<ReadPage> = {}): ReadPage => ({
  ...{ ...COLUMNS, ...WRITE, offset: 20, count: 20, firstId: 31, lastId: 52 },
  ...change,
});

describe('the starts of pages', () => {
  it('are known once two reads have seen the same version', () => {
    const starts = new PageStarts();
    expect(starts.find(KEY, 20)).toBeUndefined();
    starts.note(KEY, page());
    expect(starts.find(KEY, 20)).toBeUndefined();
    starts.note(KEY, page());
    expect(starts.find(KEY, 20)).toEqual({ ...COLUMNS, write: WRITE, afterId: 30 });
  });

  it('include that of the page after one that was read', () => {
    const starts = new PageStarts();
    starts.note(KEY, page());
    starts.note(KEY, page());
    expect(starts.find(KEY, 40)).toEqual({ ...COLUMNS, write: WRITE, afterId: 52 });
    expect(starts.find(KEY, 60)).toBeUndefined();
    expect(starts.find('another account', 20)).toBeUndefined();
  });

  it.each([{ revision: 8 }, { schemaVersion: 2 }, { writtenAtMs: 100 }])(
    'are forgotten at another version, %j',
    (next) => {
      const starts = new PageStarts();
      starts.note(KEY, page());
      starts.note(KEY, page());
      starts.note(KEY, page({ ...next, offset: 0, firstId: 1, lastId: 30 }));
      expect([0, 20, 40].map((offset) => starts.find(KEY, offset))).toEqual(
        Array(3).fill(undefined),
      );
      starts.note(KEY, page({ ...next, offset: 0, firstId: 1, lastId: 30 }));
      const { schemaVersion, ...write } = { schemaVersion: 1, ...WRITE, ...next };
      expect(starts.find(KEY, 20)).toMatchObject({ schemaVersion, write, afterId: 30 });
      expect(starts.find(KEY, 40)).toBeUndefined();
    },
  );

  it('are forgotten if a statement found another version', () => {
    const starts = new PageStarts();
    starts.note(KEY, page());
    starts.note(KEY, page());
    starts.forget(KEY);
    expect(starts.find(KEY, 20)).toBeUndefined();
  });

  it('are those of the pages read last, if there are many', () => {
    const starts = new PageStarts();
    const read = (n: number): void => {
      starts.note(KEY, page({ offset: n * 20, firstId: n * 20 + 1, lastId: n * 20 + 20 }));
    };
    const pages = Array.from({ length: 40 }, (_, n) => n);
    pages.forEach(read);
    const known = pages.filter((n) => starts.find(KEY, n * 20) !== undefined);
    expect(known).toEqual(pages.slice(-7));
  });

  it('are their offsets in a datagrid that has never lost a row, until a statement found otherwise', () => {
    const starts = new PageStarts();
    starts.noteGapless(KEY, COLUMNS);
    expect(starts.find(KEY, 60)).toEqual({ ...COLUMNS, write: null, afterId: 60 });
    starts.note(KEY, page());
    expect(starts.find(KEY, 60)).toBeUndefined();
  });

  it('do not include that of an empty page', () => {
    const starts = new PageStarts();
    const empty = page({ count: 0, firstId: null, lastId: null });
    starts.note(KEY, empty);
    starts.note(KEY, empty);
    expect(starts.find(KEY, 20)).toBeUndefined();
  });
});
