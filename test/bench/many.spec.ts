import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadRequest } from '../../bench/load-request';
import { loadFromHere } from '../../bench/node-client';
import { loadWithWrk, wrkVersion } from '../../bench/wrk';
import { type Duration, durationsTable } from '../../bench/many/maintenance';
import { type ManyPage, manyPagesTable, PAGE_KINDS } from '../../bench/many/many-pages';
import {
  arrivals,
  batchesOf,
  columnIdOf,
  customersOf,
  indexedParameters,
  manyValues,
  rawRowBytes,
} from '../../bench/many/shape';
import { type StorageState, storageTable, walBytes } from '../../bench/many/storage';

/** Returns the cells of a table, with its header and without the line below it. */
function cells(table: string): string[][] {
  const lines = table.split('\n').filter((_, n) => n !== 1);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the rows of the benchmark of many datagrids', () => {
  it('arrive datagrid after datagrid, or a batch of each datagrid in turns', () => {
    const order = (arrival: 'together' | 'in turns'): string[] =>
      [...arrivals(2, 3, arrival)].map(
        ({ datagrid, batch }) => `${String(datagrid)}.${String(batch)}`,
      );
    expect(order('together')).toEqual(['0.0', '0.1', '0.2', '1.0', '1.1', '1.2']);
    expect(order('in turns')).toEqual(['0.0', '1.0', '0.1', '1.1', '0.2', '1.2']);
  });

  it('are all in one of the batches, in order', () => {
    const batches = batchesOf(3, 25, 10);
    expect(batches.map(({ count }) => count)).toEqual([10, 10, 5]);
    const values = batches.flatMap(({ json }) => JSON.parse(json) as unknown[]);
    expect(values).toEqual(Array.from({ length: 25 }, (_, n) => manyValues(3, n, 25)));
  });

  it('share a value of the indexed text with the rows of one page', () => {
    const counts = new Map<unknown, number>();
    for (let n = 0; n < 500; n += 1) {
      const { customer } = manyValues(0, n, 500);
      counts.set(customer, (counts.get(customer) ?? 0) + 1);
    }
    expect([counts.size, new Set(counts.values())]).toEqual([customersOf(500), new Set([20])]);
  });

  it('have a raw size that is the mean of the JSON of their values', () => {
    const sizes = Array.from({ length: 50 }, (_, variant) =>
      [0, 1].map((n) => JSON.stringify(manyValues(variant, n, 2)).length),
    ).flat();
    const mean = sizes.reduce((sum, size) => sum + size + 1, 0) / sizes.length;
    expect(rawRowBytes(2)).toBeCloseTo(mean, 6);
  });

  it('have one indexed column of text and one of numbers', () => {
    const [text, number] = [columnIdOf('customer'), columnIdOf('price')];
    expect(indexedParameters()).toEqual([
      ...[[text], ['customer'], [false]],
      ...[[number], ['price'], [false]],
    ]);
  });
});

describe('the storage of many datagrids', () => {
  const state = (name: string, rows: number, log: number): StorageState => ({
    name,
    rows,
    sizes: [
      { table: 'entries', index: null, bytes: 20_000 },
      { table: 'rows', index: null, bytes: 70_000 },
      { table: 'rows', index: 'rows_pkey', bytes: 9_000 },
      { table: 'log', index: null, bytes: log },
      { table: 'users', index: null, bytes: 50 },
    ],
  });

  it('is printed for each row, with relations that are small in every state as one line', () => {
    expect(cells(storageTable([state('a', 100, 10), state('b', 50, 4_000)], 165.1))).toEqual([
      ['bytes for each row', 'a', 'b'],
      ['rows', '700.0', '1400.0'],
      ['entries', '200.0', '400.0'],
      ['rows_pkey', '90.0', '180.0'],
      ['log', '0.1', '80.0'],
      ['all others', '0.5', '1.0'],
      ['total', '990.6', '2061.0'],
      ['total ÷ JSON of the values', '6.00', '12.48'],
    ]);
  });

  it('includes the log between two positions, across the end of a file of 4 GiB', () => {
    expect(walBytes('0/16B3748', '0/16B3750')).toBe(8);
    expect(walBytes('1/FFFFFFF0', '2/10')).toBe(32);
  });
});

describe('the pages of random datagrids', () => {
  it('are those that their kind names, for the service and the bare server', () => {
    const paths = Object.entries(PAGE_KINDS).map(([kind, of]) => [kind, ...of('d', 500)]);
    const rows = '/api/v1/public/datagrids/d/rows';
    const positions = paths.slice(0, 3);
    expect(positions).toEqual([
      ['first', `${rows}?page=1&limit=20`, '/d/1/20'],
      ['middle', `${rows}?page=13&limit=20`, '/d/241/20'],
      ['last', `${rows}?page=25&limit=20`, '/d/481/20'],
    ]);
    const [, service = '', bare = ''] = paths[3] ?? [];
    const filter = new URL(service, 'http://host').searchParams.get('filter') ?? '';
    const { customer } = JSON.parse(filter) as { customer: string };
    expect(bare).toBe(`/d/upwards/20/1/${encodeURIComponent(customer)}`);
    expect(paths[4]).toEqual([
      'sorted by index',
      `${rows}?limit=20&sort=customer`,
      '/d/upwards/20/1',
    ]);
  });

  it('are compared with few datagrids and with the bare server', () => {
    const result = (requestsPerSecond: number, p50Ms: number): ManyPage['service'] => ({
      requestsPerSecond,
      p50Ms,
      p99Ms: p50Ms * 2,
      cpuMicros: 1,
    });
    const page = {
      kind: 'first',
      service: result(900, 3),
      bare: result(1_200, 2),
      few: result(1_000, 2.5),
      fewBare: result(2_000, 1),
      blocksRead: 4.25,
    };
    const [, line] = cells(manyPagesTable([page]));
    expect(line).toEqual([
      'first',
      '900',
      '0.90',
      '0.75',
      '0.50',
      '3.00',
      '1.20',
      '6.00',
      '5.00',
      '4.25',
    ]);
  });
});

describe('the durations of maintenance', () => {
  it('are printed for a million rows, too', () => {
    const vacuum: Duration = {
      work: 'VACUUM',
      seconds: 5,
      cpuSeconds: 1,
      logBytes: 1e9,
      note: 'all',
    };
    expect(cells(durationsTable([vacuum], 2_500_000))[1]).toEqual([
      'VACUUM',
      '5.0',
      '2.00',
      '0.40',
      '400',
      'all',
    ]);
  });
});

describe('a load with several paths', () => {
  const GENERATORS = wrkVersion() === null ? { loadFromHere } : { loadFromHere, loadWithWrk };

  it.each(Object.entries(GENERATORS))('requests all of them, by %s', async (_, generate) => {
    const seen = new Set<string>();
    const server = createServer((request, response) => {
      seen.add(
        `${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`,
      );
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const paths = ['/a?b=1', '/c', "/d'e"];
      const parts = { method: 'GET', path: '/a?b=1', paths, key: 'secret' };
      const { requests } = await generate({
        port: (server.address() as AddressInfo).port,
        request: loadRequest(parts),
        connections: 2,
        seconds: 0.3,
        expectedStatus: 200,
      });
      expect(requests).toBeGreaterThan(20);
      expect([...seen].sort()).toEqual(paths.map((path) => `GET ${path} Bearer secret`).sort());
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
