import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import {
  BLOCK_ROWS,
  type TargetTable,
  type TargetWriter,
} from '../../src/destinations/destination';
import { MysqlDestination } from '../../src/destinations/mysql/mysql-kind';
import { MysqlSession } from '../../src/destinations/mysql/mysql-session.repository';
import {
  columnOf,
  columns,
  failure,
  HostileMysqlServer,
  moreResults,
  ok,
  packet,
  type Respond,
  rows,
  sameRows,
} from './hostile-mysql-server';
import { accessOf } from './mysql-server';

const MIB = 1024 * 1024;
const TOO_MUCH = { kind: 'unavailable', message: 'The server sent more than was requested.' };

describe('a MySQL server that is hostile', () => {
  let server: HostileMysqlServer;
  const open: { close(): unknown }[] = [];

  beforeEach(async () => {
    server = await HostileMysqlServer.start();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    for (const each of open.splice(0)) await each.close();
    await server.close();
  });

  const openSession = async (respond: Respond): Promise<MysqlSession> => {
    server.respond = respond;
    const session = await MysqlSession.open(accessOf(server.login));
    open.push(session);
    return session;
  };

  const openWriter = async (respond: Respond): Promise<TargetWriter> => {
    server.respond = respond;
    const table: TargetTable = { id: randomUUID(), name: 't', deletions: 'delete' };
    const writer = await new MysqlDestination(accessOf(server.login)).open(table);
    open.push(writer);
    return writer;
  };

  it('leaves nothing in the cache of parsers, which the whole process shares', async () => {
    const path = join(dirname(require.resolve('mysql2')), 'lib/parsers/parser_cache.js');
    const getParser = jest.spyOn(jest.requireActual<{ getParser(): unknown }>(path), 'getParser');
    const session = await openSession((text) => (text === 'READ' ? rows(['a']) : undefined));
    await expect(session.query('READ')).resolves.toEqual([['a']]);
    await session.run('ROLLBACK');
    expect(getParser).not.toHaveBeenCalled();
  });

  it.each([
    ['a statement without rows', (session: MysqlSession) => session.run('ATTACK')],
    ['a query', (session: MysqlSession) => session.query('ATTACK')],
  ])('is cut off if it sends 60 columns to %s', async (_, attack) => {
    const names = Array.from({ length: 60 }, (_each, n) => `n${String(n)}${'x'.repeat(500)}`);
    const session = await openSession((text) => (text === 'ATTACK' ? columns(names) : undefined));
    await expect(attack(session)).rejects.toMatchObject(TOO_MUCH);
    expect(session.isClosed).toBe(true);
  });

  it.each([
    [
      'columns without end',
      () => Buffer.concat([packet(1, Buffer.from([0xfc, 255, 255])), columnOf(2, 'a', 100)]),
    ],
    ['one packet of 2 MiB', () => packet(1, Buffer.alloc(2 * MIB, 1))],
    ['a part of a large packet', () => packet(1, Buffer.alloc(8 * MIB, 1)).subarray(0, 2 * MIB)],
    ['a value of 2 MiB', () => Buffer.concat([columns(['a']), sameRows(1, ['x'.repeat(2 * MIB)])])],
    ['rows without end', () => Buffer.concat([columns(['a']), sameRows(5_001, [null])])],
    ['several results', () => Buffer.concat([moreResults(), moreResults()])],
  ])('is cut off if it sends %s', async (_, attack) => {
    const session = await openSession((text) => (text === 'ATTACK' ? attack() : undefined));
    await expect(session.query('ATTACK')).rejects.toMatchObject(TOO_MUCH);
    expect(session.isClosed).toBe(true);
  });

  it('is cut off if it sends too much before a statement', async () => {
    server.greeting = packet(0, Buffer.alloc(70_000, 10));
    await expect(MysqlSession.open(accessOf(server.login))).rejects.toMatchObject(TOO_MUCH);
  });

  it('cannot make the driver print a warning for each packet', async () => {
    const print = jest.spyOn(console, 'error').mockImplementation();
    const session = await openSession((text) =>
      text === 'READ' ? rows(['a'], ['b'], ['c']) : undefined,
    );
    await expect(session.query('READ')).resolves.toHaveLength(3);
    expect(print).not.toHaveBeenCalled();
  });

  it('is cut off if it sends more revisions than a block has', async () => {
    const revisions = (count: number): Buffer =>
      Buffer.concat([columns(['a', 'b']), sameRows(count, ['1', '2']), rows().subarray(-9)]);
    let count = BLOCK_ROWS;
    const writer = await openWriter((text) =>
      text.startsWith('SELECT _id, ') ? revisions(count) : undefined,
    );
    const range = { from: 0, to: BLOCK_ROWS - 1 };
    await expect(writer.readRevisions(range)).resolves.toHaveLength(BLOCK_ROWS);
    count = BLOCK_ROWS + 1_001;
    await expect(writer.readRevisions(range)).rejects.toMatchObject(TOO_MUCH);
  });

  it('is cut off if it sends sums of more blocks than there are', async () => {
    const sums = Buffer.concat([
      columns(['a', 'b', 'c', 'd']),
      sameRows(2 ** 18 + 1, ['1', '2', '3', '4']),
    ]);
    const writer = await openWriter((text) => (text.includes('COUNT(*)') ? sums : undefined));
    await expect(writer.sumBlocks()).rejects.toMatchObject(TOO_MUCH);
  });

  it.each([[null], ['x'], ['1e3'], ['1'.repeat(100)]])(
    'cannot send %p as an integer of a table',
    async (value) => {
      const writer = await openWriter((text) => {
        if (text.includes('COUNT(*)')) return rows(['1', '1', value, '1']);
        return text.startsWith('SELECT _id, ') ? rows(['1', value]) : undefined;
      });
      const rejected = { kind: 'inconsistent', message: 'A column has another type now.' };
      await expect(writer.sumBlocks()).rejects.toMatchObject(rejected);
      await expect(writer.readRevisions({ from: 1, to: 2 })).rejects.toMatchObject(rejected);
    },
  );

  it.each(['lots', '', '-1', '1023', '1e300', '1073741825', '4194304.5', 'Infinity'])(
    'cannot send "%s" as max_allowed_packet',
    async (value) => {
      const opened = openSession((text) =>
        text.includes('max_allowed_packet') ? rows(['8.0.30', value, '0']) : undefined,
      );
      await expect(opened).rejects.toMatchObject({ kind: 'configuration' });
      await expect(opened).rejects.toThrow(
        'The server sent a value of max_allowed_packet that is not valid.',
      );
    },
  );

  it('gets INSERT statements of about 1 MiB, whatever it takes', async () => {
    const session = await openSession((text) =>
      text.includes('max_allowed_packet') ? rows(['8.0.30', '1073741824', '0']) : undefined,
    );
    async function* lines(): AsyncGenerator<readonly string[]> {
      yield await Promise.resolve(Array.from({ length: 30 }, () => `'${'x'.repeat(100_000)}'`));
      yield Array.from({ length: 600_000 }, () => '1');
    }
    await session.insert('`t`', 'id', lines());
    expect(server.largest).toBeGreaterThan(MIB / 2);
    expect(server.largest).toBeLessThan(1.2 * MIB);
  });

  it.each(['x', '', '-1', '1.5', '8589934593', '9007199254740993', '1e3'])(
    'cannot send "%s" as a token',
    async (token) => {
      const writer = await openWriter((text) =>
        text.startsWith('SELECT token') ? rows([token, null, null, null, null]) : undefined,
      );
      const claimed = writer.claim(1);
      await expect(claimed).rejects.toMatchObject({ kind: 'configuration' });
      await expect(claimed).rejects.toThrow(
        'The table _datagrid_sync of the database has a token that is not valid. Drop that table.',
      );
    },
  );

  it.each([
    ['columns', '{'],
    ['columns', '{}'],
    ['columns', '[null]'],
    ['columns', '[{"id":1,"name":2,"type":"text"}]'],
    ['columns', '[{"id":1,"name":"a","type":"toString"}]'],
    ['pending', '1'],
    ['pending', '{"kind":"swap","version":"v","statement":"s","columns":[],"printed":[]}'],
  ])('cannot send %s that are %s', async (column, value) => {
    const writer = await openWriter((text) => {
      if (!text.startsWith('SELECT token')) return undefined;
      const isColumns = column === 'columns';
      return rows(['0', null, isColumns ? value : null, null, isColumns ? null : value]);
    });
    const claimed = writer.claim(1);
    await expect(claimed).rejects.toMatchObject({ kind: 'configuration' });
    await expect(claimed).rejects.toThrow(`has a value of ${column} that is not valid`);
  });

  it('cannot choose the statement that ends another session', async () => {
    const writer = await openWriter((text) =>
      text.includes('IS_USED_LOCK') ? rows(['1; DROP TABLE x']) : undefined,
    );
    await expect(writer.claim(1)).rejects.toMatchObject({ kind: 'configuration' });
    expect(server.statements.filter((text) => text.startsWith('KILL'))).toEqual([]);
  });

  it('cannot choose which tables are dropped', async () => {
    const writer = await openWriter((text) =>
      text.startsWith('SELECT TABLE_NAME') ? rows(['customers']) : undefined,
    );
    await expect(writer.claim(1)).resolves.toBeNull();
    expect(server.statements.filter((text) => text.startsWith('DROP'))).toEqual([]);
  });

  it('cannot put long texts or control characters into a message', async () => {
    const long = `a\0\n\u001b[2Jb${'x'.repeat(1_000)}`;
    const session = await openSession((text) => {
      if (text === 'FAIL') return failure(1234, long);
      if (text.startsWith('SHOW WARNINGS')) return rows(['Warning', '1265', long]);
      return text.startsWith('INSERT') ? ok(1, 1) : undefined;
    });
    async function* lines(): AsyncGenerator<readonly string[]> {
      yield await Promise.resolve(['1']);
    }
    const shown = `a [2Jb${'x'.repeat(292)}…`;
    await expect(session.run('FAIL')).rejects.toThrow(
      expect.objectContaining({ message: `The database failed. The server: ${shown}` }),
    );
    await expect(session.insert('`t`', 'id', lines())).rejects.toThrow(
      expect.objectContaining({ message: `The database rejected a value. The server: ${shown}` }),
    );
  });

  it('fails a statement that gets rows where none belong, or none where some do', async () => {
    const session = await openSession((text) => {
      if (text === 'RUN') return rows(['a']);
      return text === 'QUERY' ? ok() : undefined;
    });
    await expect(session.query('QUERY')).resolves.toEqual([]);
    await expect(session.run('RUN')).rejects.toMatchObject(TOO_MUCH);
  });
});
