import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { API, ApiClient, type Json } from './api-client';
import { DatagridCopy } from './datagrid-copy';
import { EventStream } from './event-stream';

/** How a reader receives changes. */
export type ReadForm = 'pages' | 'waits' | 'lines' | 'events';

/** A part of a reader's life: from where and how it reads, and when it stops. */
export interface ReadSession {
  readonly origin: string;
  readonly form: ReadForm;
  readonly limit: number;
  /** Number of pages after which the reader stops, wherever it is. */
  readonly pages: number;
  /** Aborted when no more changes come. The reader then stops as soon as it is up to date. */
  readonly end: AbortSignal;
}

/** How a session ended: up to date, before that, or with a status or a broken connection (0). */
export type SessionEnd = 'upToDate' | 'stopped' | number;

/**
 * Reader of changes that keeps a copy of a datagrid in sync. It stops at any point and continues
 * from its cursor, on any instance and in any form.
 */
export class ChangeReader {
  copy = new DatagridCopy();
  cursor: string | undefined;
  /** Number of pages. */
  pages = 0;
  items = 0;
  /** How often it began again. */
  restarts = 0;
  private readonly headers: Readonly<Record<string, string>>;

  /** @param path Path of the datagrid. */
  constructor(
    private readonly key: string,
    private readonly path: string,
  ) {
    this.headers = { authorization: `Bearer ${key}` };
  }

  /** Begins again with an empty copy, after a 410. */
  startOver(): void {
    this.copy = new DatagridCopy();
    this.cursor = undefined;
    this.restarts += 1;
  }

  /**
   * Reads until the session ends.
   * @throws if the revision of a row goes backwards, or the cursor stays where it is
   */
  read(session: ReadSession): Promise<SessionEnd> {
    if (session.form === 'lines') return this.readLines(session);
    return session.form === 'events' ? this.readEvents(session) : this.readPages(session);
  }

  /** Reads pages until the copy is up to date. @throws if a response is not a page */
  async catchUp(origin: string, limit = 1_000): Promise<void> {
    const end = AbortSignal.abort();
    for (;;) {
      const ended = await this.read({ origin, form: 'pages', limit, pages: 100, end });
      if (ended === 'upToDate') return;
      if (ended !== 'stopped') throw new Error(`The changes returned ${String(ended)}.`);
    }
  }

  private async readPages({ origin, form, limit, pages, end }: ReadSession): Promise<SessionEnd> {
    const api = new ApiClient(origin, this.key);
    for (let page = 0; page < pages; page += 1) {
      const wait = form === 'waits' && !end.aborted ? '&wait=1' : '';
      const query = `limit=${String(limit)}&cursor=${this.cursor ?? ''}${wait}`;
      const response = await api.get(`${this.path}/changes?${query}`).catch(() => null);
      if (response?.status !== 200) return response?.status ?? 0;
      const { data, meta } = response.body;
      if (meta.pageSize !== data.length) {
        throw new Error(`pageSize is ${String(meta.pageSize)}, not ${String(data.length)}`);
      }
      const rows = (data as Json[]).filter(({ op }) => op !== 'schema');
      if (rows.length > limit) throw new Error(`A page has ${String(rows.length)} rows.`);
      this.apply(data, meta.nextCursor, meta.upToDate);
      if (meta.upToDate && (form === 'pages' || end.aborted)) return 'upToDate';
    }
    return 'stopped';
  }

  /** An item is applied when its line arrives: the connection can break before the next cursor. */
  private async readLines({ origin, pages }: ReadSession): Promise<SessionEnd> {
    const query = this.cursor === undefined ? '' : `?cursor=${this.cursor}`;
    const headers = { accept: 'application/x-ndjson', ...this.headers };
    const url = `${origin}${API}${this.path}/changes${query}`;
    const request = get(url, { agent: false, headers });
    let left = pages;
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve).on('error', reject);
      });
      if (response.statusCode !== 200) return response.statusCode ?? 0;
      let rest = '';
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const item: Json = JSON.parse(line);
          if (item.op !== 'cursor') {
            this.copy.apply([item]);
            this.items += 1;
            continue;
          }
          this.apply([], item.cursor, item.upToDate);
          if (item.upToDate === true) return 'upToDate';
          if ((left -= 1) <= 0) return 'stopped';
        }
      }
      return 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return 0;
    } finally {
      request.destroy();
    }
  }

  private async readEvents({ origin, limit, pages, end }: ReadSession): Promise<SessionEnd> {
    const url = `${origin}${API}${this.path}/changes?limit=${String(limit)}`;
    const resume = this.cursor === undefined ? {} : { 'last-event-id': this.cursor };
    const stream = new EventStream(url, { ...this.headers, ...resume });
    // Ends the wait for an event that never comes.
    const close = (): void => {
      stream.close();
    };
    let isUpToDate = false;
    end.addEventListener('abort', close);
    try {
      for (let page = 0; page < pages; page += 1) {
        if (isUpToDate && end.aborted) return 'upToDate';
        const event = await stream.next().catch(() => null);
        if (!event) return stream.status === 200 ? 'stopped' : stream.status;
        isUpToDate = event.data.meta.upToDate;
        this.apply(event.data.data, event.id, isUpToDate);
      }
      return isUpToDate ? 'upToDate' : 'stopped';
    } finally {
      end.removeEventListener('abort', close);
      close();
    }
  }

  private apply(items: readonly Json[], cursor: string, isUpToDate: boolean): void {
    if (cursor === this.cursor && !isUpToDate) throw new Error('The cursor does not move on.');
    this.copy.apply(items);
    this.cursor = cursor;
    this.items += items.length;
    this.pages += 1;
  }
}

/** Time after which a reader tries again that was rejected or not answered. */
const AFTER_FAILURE_MS = 20;

export interface FollowOptions {
  readonly next: () => ReadSession;
  /** Aborted when no more changes come. */
  readonly end: AbortSignal;
}

export interface Followed {
  /** Sessions that a broken connection or an error ended. */
  readonly failed: number;
  /** Times at which the reader started over, because its cursor had expired. */
  readonly startedOver: number;
}

/**
 * Reads session after session until no more changes come, as an integrator does: tries again after
 * errors, with the same cursor, and starts over after a 410.
 */
export async function follow(
  reader: ChangeReader,
  { next, end }: FollowOptions,
): Promise<Followed> {
  let [failed, startedOver] = [0, 0];
  while (!end.aborted) {
    const ended = await reader.read(next());
    if (ended === 410) {
      reader.startOver();
      startedOver += 1;
    } else if (typeof ended === 'number') {
      expect([0, 404, 429, 503]).toContain(ended);
      failed += 1;
      await delay(AFTER_FAILURE_MS);
    }
  }
  return { failed, startedOver };
}

/** Returns the columns and all rows of a datagrid, as `GET` returns them. */
export async function datagridState(
  api: ApiClient,
  path: string,
): Promise<{ columns: Json[]; rows: Json[] }> {
  const datagrid = await api.get(path);
  expect(datagrid.status).toBe(200);
  const columns = datagrid.body.data.columns as Json[];
  // A feed says what to do with the values, not what requests can send.
  for (const column of columns) delete column.previousKeys;
  const rows: Json[] = [];
  for (let page = 1; ; page += 1) {
    const response = await api.get(`${path}/rows?limit=200&page=${String(page)}`);
    expect(response.status).toBe(200);
    rows.push(...response.body.data);
    if (response.body.data.length < 200) return { columns, rows };
  }
}

/** Returns a copy in the form of `datagridState`. */
export function copyState({ copy }: ChangeReader): { columns: Json[]; rows: Json[] } {
  const columns = copy.columns.map((column) => {
    const { id, ...shown } = column;
    expect(id).toEqual(expect.any(Number));
    return shown;
  });
  return { columns, rows: copy.list() };
}
