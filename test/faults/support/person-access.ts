import { setImmediate as turnOfEvents } from 'node:timers/promises';
import type { ApiClient } from '../../support/api-client';
import { withClient } from '../../support/database-url';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid } from '../../support/fixture';
import { METRICS_ON, Scrape } from '../../support/scrape';
import { type Figures, printFigures } from './figures';
import { expectWithin } from './measured';
import { Asking, type Credential, isRejection, OpenResponse } from './open-access';
import type { Replicas } from './replicas';

/** Together more than the socket buffers of both ends, so that an unread export stays open. */
const ROW_BYTES = 100_000;
const ROWS_OF_REQUEST = 100;
const REQUESTS = 2;

const EVENTS = 'text/event-stream';
const LINES = 'application/x-ndjson';
/** A row that is written after the credentials were cut off. */
const LATE_ROW = 'written after the response';

const PATIENCE_MS = 60_000;
const SCRAPE_EVERY_MS = 20;
/** Time in which every instance must have ended everything. */
const LIMIT_MS = 1_000;

/** Settings with which an account may have one export with each credential read at a time, and metrics count them. */
export const ALL_AT_ONCE = { ...METRICS_ON, MAX_CONCURRENT_EXPORTS: '8' };

/** Creates a datagrid whose export is larger than a client takes without reading. @returns its path */
export async function newLargeGrid(api: ApiClient): Promise<string> {
  const path = await newDatagrid(api, [{ key: 'text', type: 'text' }]);
  const row = { values: { text: 'x'.repeat(ROW_BYTES) } };
  const rows = Array.from({ length: ROWS_OF_REQUEST }, () => row);
  for (let count = 0; count < REQUESTS; count += 1)
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
  return path;
}

/** Breaks the LISTEN connections of all instances, also new ones, until some work is done. */
export function withoutListening(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  return withClient(databaseUrl, async (client) => {
    let isDone = false;
    let broken = 0;
    const working = work().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const { rowCount } = await client.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'datagrid-platform notices' AND datname = current_database()`);
      broken += rowCount ?? 0;
      await turnOfEvents();
    }
    await working;
    expect(broken).toBeGreaterThan(0);
  });
}

/** What people have open at one instance, and the requests that they send to it. */
class InstanceAccess {
  isKilled = false;
  readonly asking: readonly Asking[];
  readonly events: readonly OpenResponse[];
  polls: readonly OpenResponse[] = [];
  /** Their clients do not read them. */
  readonly exports: readonly OpenResponse[];

  private constructor(
    private readonly metricsUrl: string,
    private readonly origin: string,
    private readonly grid: string,
    credentials: readonly Credential[],
  ) {
    this.asking = credentials.map((each) => new Asking(each, origin, grid));
    const opening = credentials.filter(({ kind }) => kind !== 'mcp');
    this.events = this.request(opening, '/changes?cursor=latest', EVENTS);
    this.exports = this.request(opening, '/rows/export', LINES, false);
  }

  /** Opens everything, and waits until it is open. */
  static async open(
    replicas: Replicas,
    index: number,
    grid: string,
    credentials: readonly Credential[],
  ): Promise<InstanceAccess> {
    const line = await eventually(() =>
      replicas
        .get(index)
        .log()
        .find(({ msg }) => msg === 'metrics listening'),
    );
    const origin = replicas.origins[index] ?? '';
    const instance = new InstanceAccess(String(line['url']), origin, grid, credentials);
    await instance.opened();
    return instance;
  }

  private request(
    credentials: readonly Credential[],
    path: string,
    accept: string,
    reads = true,
  ): OpenResponse[] {
    const { origin, grid } = this;
    return credentials.map(
      (each) => new OpenResponse(each, { origin, path: grid + path, accept }, reads),
    );
  }

  private async opened(): Promise<void> {
    await eventually(
      () =>
        this.events.every(({ text }) => text.includes('data:')) &&
        this.exports.every(({ status }) => status === 200) &&
        this.asking.every(({ results }) => results.at(-1)?.status === 200),
      PATIENCE_MS,
    );
    const before = await this.count();
    expect(before.exports).toBe(this.events.length);
    // A long poll ends after 30 seconds, so they begin last.
    const opening = this.events.map(({ credential }) => credential);
    this.polls = this.request(opening, '/changes?cursor=latest&wait=30', '*/*');
    const readers = before.readers + this.polls.length;
    await eventually(async () => (await this.count()).readers === readers, PATIENCE_MS);
  }

  get responses(): readonly OpenResponse[] {
    return [...this.events, ...this.polls, ...this.exports];
  }

  /** Counts exports, and readers of changes, which are events and long polls. */
  private async count(): Promise<{ readonly exports: number; readonly readers: number }> {
    const found = await Scrape.of(this.metricsUrl);
    return {
      exports: found.sum('datagrid_exports_running'),
      readers: found.sum('datagrid_change_readers'),
    };
  }

  /**
   * Waits until the instance has ended everything but what some credentials have open.
   * @returns when, on the clock of `performance`; `undefined` if it is killed meanwhile
   */
  async ended(kept: number): Promise<number | undefined> {
    const isOver = async (): Promise<number | false> => {
      const { exports, readers } = await this.count();
      return exports <= kept && readers <= 2 * kept && performance.now();
    };
    return eventually(isOver, PATIENCE_MS, SCRAPE_EVERY_MS).catch(() => undefined);
  }
}

/** Credentials of which some are cut off, and others are not. */
export interface Credentials {
  readonly cut: readonly Credential[];
  readonly kept: readonly Credential[];
}

/** How credentials are cut off. */
export interface CutOff {
  /** Resolves once the change is acknowledged. */
  readonly change: () => Promise<void>;
  /** Runs after that. */
  readonly then?: () => Promise<void>;
  /** Writes a row after that, which nobody must receive with a credential that is cut off. */
  readonly writer: ApiClient;
}

/** What people have open at each of several instances, and the requests that they send. */
export class PersonAccess {
  private readonly restarts: Promise<void>[] = [];

  private constructor(
    private readonly replicas: Replicas,
    private readonly grid: string,
    private readonly credentials: Credentials,
    private readonly instances: readonly InstanceAccess[],
  ) {}

  static async open(
    replicas: Replicas,
    grid: string,
    credentials: Credentials,
  ): Promise<PersonAccess> {
    const all = [...credentials.cut, ...credentials.kept];
    const instances = await Promise.all(
      replicas.origins.map((_, index) => InstanceAccess.open(replicas, index, grid, all)),
    );
    return new PersonAccess(replicas, grid, credentials, instances);
  }

  /** Kills an instance, and starts it again in the background. */
  async kill(index: number): Promise<void> {
    const instance = this.instances[index];
    if (instance) instance.isKilled = true;
    await this.replicas.get(index).stop('SIGKILL');
    this.restarts.push(this.replicas.restart(index));
  }

  /**
   * Cuts credentials off while everything is open. Expects that no instance accepts them after the response, or goes on
   * with what they have open, and that the others can go on. Prints how long it took.
   */
  async expectCutOff(title: string, { change, then, writer }: CutOff): Promise<void> {
    const { cut, kept } = this.credentials;
    const keptOpen = kept.filter(({ kind }) => kind !== 'mcp').length;
    const ended = this.instances.map((each) => each.ended(keptOpen));
    await change();
    const changedAtMs = performance.now();
    dataOf(await writer.post(`${this.grid}/rows`, { values: { text: LATE_ROW } }), 201);
    await then?.();
    await Promise.all(this.restarts);
    const of =
      (list: readonly Credential[]) =>
      <T extends { readonly credential: Credential }>(all: readonly T[]): T[] =>
        all.filter(({ credential }) => list.includes(credential));
    const asking = this.instances.flatMap((each) => of(cut)(each.asking));
    await eventually(() => asking.every(({ rejection }) => rejection), PATIENCE_MS);
    const open = this.instances.flatMap((each) => of(cut)([...each.events, ...each.polls]));
    await eventually(() => open.every(({ endedAtMs }) => endedAtMs !== undefined), PATIENCE_MS);
    const endedAtMs = await Promise.all(ended);
    const exports = this.instances.flatMap((each) => of(cut)(each.exports));
    for (const each of exports) each.readOn();
    await eventually(() => exports.every((each) => each.endedAtMs !== undefined), PATIENCE_MS);
    const others = this.survivors.flatMap((each) => of(kept)(each.events));
    await eventually(() => others.every(({ text }) => text.includes(LATE_ROW)), PATIENCE_MS);
    await this.close();

    const last = (times: readonly (number | undefined)[]): number =>
      Math.max(...times.map((time) => (time ?? Infinity) - changedAtMs));
    const ends = (all: readonly OpenResponse[]): number =>
      last(of(cut)(all).map((each) => each.endedAtMs));
    const took: Figures & Record<string, number> = {
      ...Object.fromEntries(
        cut.map((credential) => {
          const own = this.survivors.flatMap((each) => of([credential])(each.asking));
          return [`${credential.name} ms`, last(own.map(({ rejection }) => rejection?.endedAtMs))];
        }),
      ),
      'events ms': ends(this.survivors.flatMap(({ events }) => events)),
      'long polls ms': ends(this.survivors.flatMap(({ polls }) => polls)),
      'exports ms': last(endedAtMs.filter((_, index) => !this.isKilled(index))),
    };
    const results = asking.flatMap((each) => each.results);
    const late = results.filter((each) => each.status === 200 && each.sentAtMs > changedAtMs);
    printFigures(title, {
      requests: results.length,
      accepted: results.filter(({ status }) => status === 200).length,
      'accepted after the response': late.length,
      'streams and exports': open.length + exports.length,
      ...took,
    });
    expect(late).toEqual([]);
    expect(open.filter(({ text }) => text.includes(LATE_ROW))).toEqual([]);
    expect(exports.filter(({ isComplete }) => isComplete)).toEqual([]);
    const polled = this.survivors.flatMap((each) => of(cut)(each.polls));
    expect(polled.filter(({ status }) => !isRejection(status))).toEqual([]);
    const asked = this.instances.flatMap((each) => of(kept)(each.asking));
    expect(asked.filter(({ rejection }) => rejection)).toEqual([]);
    for (const tookMs of Object.values(took)) expectWithin(tookMs, LIMIT_MS);
  }

  private get survivors(): readonly InstanceAccess[] {
    return this.instances.filter(({ isKilled }) => !isKilled);
  }

  private isKilled(index: number): boolean {
    return this.instances[index]?.isKilled === true;
  }

  private async close(): Promise<void> {
    for (const { asking, responses } of this.instances) {
      await Promise.all(asking.map((each) => each.stop()));
      for (const each of responses) each.close();
    }
  }
}
