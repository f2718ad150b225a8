import type { Column, Row } from '../../../datagrids/datagrid';
import { LinkTitles, MAX_READ, type TitleReader } from './link-titles';

const column = (key: string, type: Column['type'], datagridId?: string): Column => ({
  key,
  title: key,
  type,
  required: false,
  unique: false,
  indexed: false,
  options: datagridId === undefined ? {} : { datagridId },
});

const row = (id: number, name?: string): Row => ({
  id,
  values: name === undefined ? {} : { name },
  revision: 1,
  createdAt: '',
  updatedAt: '',
});

const NAMED = [column('code', 'integer'), column('name', 'text')];
const LINKS = [column('airline', 'link', 'A'), column('partners', 'multiLink', 'A')];

let reads: (readonly string[])[];
let isDenied: boolean;
let name: string;

const reader: TitleReader = {
  columns: () => (isDenied ? Promise.reject(new Error('forbidden')) : Promise.resolve(NAMED)),
  rows: (_id, _key, ids) => {
    reads.push(ids);
    return Promise.resolve(
      ids.filter((id) => id !== '404').map((id) => row(Number(id), name + id)),
    );
  },
};

const newTitles = (columns = LINKS): LinkTitles => new LinkTitles(reader, columns);

/** Resolves when the titles that were asked for are read. */
const changed = (titles: LinkTitles): Promise<void> =>
  new Promise((resolve) => {
    const stop = titles.subscribe(() => {
      stop();
      resolve();
    });
  });

beforeEach(() => {
  reads = [];
  isDenied = false;
  name = 'n';
});

describe('expand', () => {
  it('names at most five columns, and none without links or once it was too much', () => {
    expect(newTitles().expand()).toBe('airline,partners');
    const many = Array.from({ length: 7 }, (_, at) => column(`l${at}`, 'link', 'A'));
    expect(newTitles(many).expand()).toBe('l0,l1,l2,l3,l4');
    expect(newTitles(NAMED).expand()).toBeUndefined();
    const titles = newTitles();
    titles.stopExpanding();
    expect(titles.expand()).toBeUndefined();
    titles.reload();
    expect(titles.expand()).toBe('airline,partners');
  });
});

describe('the titles', () => {
  it('of the linked rows of a page are known without a read', async () => {
    const titles = newTitles();
    await titles.take({ airline: { 1: row(1, 'Alpine'), 2: row(2) } });
    expect([titles.titleOf('A', '1'), titles.titleOf('A', '2')]).toEqual(['Alpine', null]);
    expect(reads).toEqual([]);
  });

  it('that are asked for together are read together, each once, and missing rows have none', async () => {
    const titles = newTitles();
    expect(['7', '404', '7'].map((id) => titles.titleOf('A', id))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await changed(titles);
    expect(reads).toEqual([['7', '404']]);
    expect([titles.titleOf('A', '7'), titles.titleOf('A', '404')]).toEqual(['n7', null]);
    expect(reads).toHaveLength(1);
  });

  it('are read in parts of a bounded size', async () => {
    const titles = newTitles();
    for (let id = 1; id <= MAX_READ + 1; id += 1) titles.titleOf('A', String(id));
    await changed(titles);
    await changed(titles);
    expect(reads.map((ids) => ids.length)).toEqual([MAX_READ, 1]);
  });

  it('are none without access to the datagrid', async () => {
    isDenied = true;
    const titles = newTitles();
    titles.titleOf('A', '1');
    await changed(titles);
    expect(titles.titleOf('A', '1')).toBeNull();
    expect(reads).toEqual([]);
  });

  it('stay while they are read again after a reload', async () => {
    const titles = newTitles();
    titles.titleOf('A', '1');
    await changed(titles);
    titles.reload();
    name = 'new ';
    expect(titles.titleOf('A', '1')).toBe('n1');
    await changed(titles);
    expect(titles.titleOf('A', '1')).toBe('new 1');
    expect(reads).toHaveLength(2);
  });

  it('follow a change of a row of the same datagrid', async () => {
    const titles = newTitles();
    await titles.take({ airline: { 1: row(1, 'Alpine') } });
    titles.update('A', row(1, 'Alps'));
    titles.update('A', row(9, 'unknown'));
    expect(titles.titleOf('A', '1')).toBe('Alps');
  });
});
