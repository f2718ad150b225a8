import { randomUUID } from 'node:crypto';
import {
  FencedError,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../../src/destinations/destination';
import { SnowflakeDestination } from '../../src/destinations/snowflake/snowflake-kind';
import { nameOf, quoted } from '../../src/destinations/snowflake/snowflake-sql';
import { describeWithSnowflake, SnowflakeEmulator } from '../support/snowflake/snowflake-emulator';
import { csv, row, set } from './contract-lines';
import { SnowflakeProxy } from './snowflake-proxy';
import { accessOf, readTable, withSession } from './snowflake-server';

const COLUMNS: readonly TargetColumn[] = [{ id: 1, name: 'name', type: 'text' }];
const VIEW = /^CREATE OR REPLACE VIEW/;

describeWithSnowflake('a Snowflake destination whose statements arrive late', () => {
  let emulator: SnowflakeEmulator;
  let proxy: SnowflakeProxy;
  let table: TargetTable;
  const writers = new Set<TargetWriter>();

  beforeAll(async () => {
    emulator = await SnowflakeEmulator.start();
    proxy = await SnowflakeProxy.start(emulator.port);
  });

  beforeEach(() => {
    const id = randomUUID();
    table = { id, name: `late_${id.slice(0, 8)}`, deletions: 'delete' };
  });

  afterEach(async () => {
    for (const writer of writers) await writer.close();
    writers.clear();
  });

  afterAll(async () => {
    await proxy.close();
    await emulator.stop();
  });

  const open = async (token: number): Promise<TargetWriter> => {
    const { user, database, schema, privateKey } = emulator;
    const login = { user, database, schema, privateKey, port: proxy.port };
    const writer = await new SnowflakeDestination(accessOf(login)).open(table);
    writers.add(writer);
    await writer.claim(token);
    return writer;
  };

  const beginLoad = async (writer: TargetWriter, name: string): Promise<void> => {
    await writer.beginLoad(COLUMNS, 'begun');
    await writer.append(COLUMNS, csv([row(1, 1, name)]), 'appended');
  };

  const load = async (writer: TargetWriter, name: string): Promise<void> => {
    await beginLoad(writer, name);
    await writer.finishLoad(COLUMNS, 'loaded');
  };

  const readNames = (): Promise<unknown[] | undefined> =>
    withSession(emulator, async (session) =>
      (await readTable(session, table.name))?.map(({ name }) => name),
    );

  it('rejects the view of a worker that was frozen before it, after another one has finished', async () => {
    const frozen = await open(1);
    await beginLoad(frozen, 'of the frozen worker');
    const held = proxy.hold(VIEW, 'statement');
    const late = frozen.finishLoad(COLUMNS, 'loaded');
    late.catch(() => undefined);
    await held.reached;
    const writer = await open(2);
    expect(await readNames()).toEqual(['of the frozen worker']);
    await load(writer, 'of the other worker');
    expect(await readNames()).toEqual(['of the other worker']);
    held.release();
    await expect(late).rejects.toThrow(FencedError);
    expect(await readNames()).toEqual(['of the other worker']);
    await writer.merge(COLUMNS, csv([set(1, 2, 'changed')]), 'merged');
    expect(await readNames()).toEqual(['changed']);
  });

  it('replaces the view again if a late statement comes before the former table is dropped', async () => {
    const frozen = await open(1);
    await beginLoad(frozen, 'of the frozen worker');
    const held = proxy.hold(VIEW, 'statement');
    const late = frozen.finishLoad(COLUMNS, 'loaded');
    late.catch(() => undefined);
    await held.reached;
    const writer = await open(2);
    await beginLoad(writer, 'of the other worker');
    const drop = proxy.hold(/^DROP TABLE/, 'statement');
    const finished = writer.finishLoad(COLUMNS, 'reloaded');
    await drop.reached;
    expect(await readNames()).toEqual(['of the other worker']);
    held.release();
    await expect(late).rejects.toThrow(FencedError);
    expect(await readNames()).toEqual(['of the frozen worker']);
    drop.release();
    await finished;
    expect(await readNames()).toEqual(['of the other worker']);
  });

  it('replaces the view with the next step if a late statement was still running when its table was dropped', async () => {
    const writer = await open(1);
    await load(writer, 'loaded');
    const former = quoted(`_datagrid_${table.id.replaceAll('-', '')}_0_1`);
    await withSession(emulator, async (session) => {
      await session.run(`CREATE TABLE ${former} ("_ID" NUMBER(19, 0))`);
      await session.run(`CREATE OR REPLACE VIEW ${quoted(table.name)} AS SELECT * FROM ${former}`);
      await session.run(`DROP TABLE ${former}`);
    });
    await writer.merge(COLUMNS, csv([set(2, 2, 'merged')]), 'merged');
    expect(await readNames()).toEqual(['loaded', 'merged']);
  });

  it('makes the view again if it is gone, without a new load', async () => {
    const writer = await open(1);
    await load(writer, 'loaded');
    for (const step of [
      () => writer.exists(),
      () => writer.merge(COLUMNS, csv([set(2, 2, 'merged')]), 'merged'),
    ]) {
      await withSession(emulator, (session) => session.run(`DROP VIEW ${quoted(table.name)}`));
      expect(await readNames()).toBeUndefined();
      await expect(step()).resolves.not.toBe(false);
    }
    expect(await readNames()).toEqual(['loaded', 'merged']);
  });

  it('makes the view for the next claim if a worker ends before it', async () => {
    const killed = await open(1);
    await beginLoad(killed, 'loaded');
    const held = proxy.hold(VIEW, 'statement');
    const late = killed.finishLoad(COLUMNS, 'loaded');
    late.catch(() => undefined);
    await held.reached;
    held.drop();
    await expect(late).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await readNames()).toBeUndefined();
    const writer = await open(2);
    expect(await readNames()).toEqual(['loaded']);
    await expect(writer.exists()).resolves.toBe(true);
  });

  it('lets the next claim go on if the table with the rows was dropped before the view was made', async () => {
    const killed = await open(1);
    await beginLoad(killed, 'loaded');
    const held = proxy.hold(VIEW, 'statement');
    const late = killed.finishLoad(COLUMNS, 'loaded');
    late.catch(() => undefined);
    await held.reached;
    held.drop();
    await expect(late).rejects.toMatchObject({ kind: 'unavailable' });
    await withSession(emulator, async (session) => {
      const name = nameOf(`_datagrid_${table.id.replaceAll('-', '')}_1_1`);
      await session.run(`DROP TABLE ${quoted(name)}`);
    });
    const writer = await open(2);
    await expect(writer.exists()).resolves.toBe(false);
    await load(writer, 'loaded again');
    expect(await readNames()).toEqual(['loaded again']);
  });

  it('makes a change once whose commit got no response', async () => {
    const writer = await open(1);
    await load(writer, 'loaded');
    const held = proxy.hold(/^COMMIT$/, 'response');
    const merge = writer.merge(COLUMNS, csv([set(2, 2, 'merged')]), 'merged');
    merge.catch(() => undefined);
    await held.reached;
    held.drop();
    await expect(merge).rejects.toMatchObject({ kind: 'unavailable' });
    const next = await new SnowflakeDestination(accessOf(emulator)).open(table);
    writers.add(next);
    await expect(next.claim(2)).resolves.toBe('merged');
    expect(await readNames()).toEqual(['loaded', 'merged']);
  });
});
