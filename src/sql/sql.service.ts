import { Injectable } from '@nestjs/common';
import Negotiator from 'negotiator';
import type { Caller } from '../common/caller/app-request';
import { JsonResponse } from '../common/envelope/json-response';
import type { PageRequest } from '../common/paging/page-request';
import { newId } from '../common/text/id';
import { ExportMetrics, ExportPermits } from '../exports/export-permits';
import { EXPORT_TRAILERS, RowExport } from '../exports/export-request';
import { AppConfig } from '../platform/config/app-config';
import { StreamedResponse } from '../platform/http/streamed-response';
import { StreamWatch } from '../rows/stream/stream-watch';
import { DEFAULT_SQL_ROWS, type RunSqlDto, type SqlTableDto } from './dto/sql.dto';
import type { SqlOwner } from './sql-processes.service';
import { type RunningSql, SqlRunnerService } from './sql-runner.service';
import { SqlTablesService } from './sql-tables.service';
import { csvHeader, csvPrinter, jsonPrinter, type PrintRow } from './sql-values';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const KNOWN_TYPES = [CSV, NDJSON, 'application/json', 'application/*', '*/*'];

/** Returns the results of statements. */
@Injectable()
export class SqlService {
  constructor(
    private readonly config: AppConfig,
    private readonly tablesOf: SqlTablesService,
    private readonly runner: SqlRunnerService,
    private readonly exports: ExportPermits,
    private readonly metrics: ExportMetrics,
    private readonly watch: StreamWatch,
  ) {}

  /**
   * Runs a statement.
   * @param accept The header, which chooses between JSON and a file.
   * @throws as `SqlRunnerService.start`
   */
  async run(
    caller: Caller,
    workspaceId: string,
    body: RunSqlDto,
    accept = '',
  ): Promise<JsonResponse | StreamedResponse> {
    const types = new Negotiator({ headers: { accept } }).mediaTypes();
    const type = types.map((one) => one.toLowerCase()).find((one) => KNOWN_TYPES.includes(one));
    if (type === CSV || type === NDJSON) return this.file(caller, workspaceId, body, type);
    const running = await this.start(caller, workspaceId, body, this.config.queryTimeoutMs);
    try {
      return await this.page(running, body.limit ?? DEFAULT_SQL_ROWS);
    } finally {
      running.end();
    }
  }

  /** Returns one page of the tables. @throws AppError `not_found`, `query_too_expensive` */
  async tables(
    caller: Caller,
    workspaceId: string,
    page: PageRequest,
  ): Promise<JsonResponse<SqlTableDto[]>> {
    const all = await this.tablesOf.list(ownerOf(caller, workspaceId));
    const from = (page.page - 1) * page.limit;
    const shown = [...all].slice(from, from + page.limit).map(([name, datagrid]) => {
      return { name, datagridId: datagrid.id, datagridName: datagrid.name };
    });
    return JsonResponse.page(shown, all.size, page);
  }

  private start(
    caller: Caller,
    workspaceId: string,
    { sql, parameters }: RunSqlDto,
    timeoutMs: number,
  ): Promise<RunningSql> {
    const request = { sql, ...(parameters && { parameters }), timeoutMs };
    return this.runner.start(ownerOf(caller, workspaceId), request);
  }

  /** Reads up to `limit` rows, and MAX_PAGE_BYTES. */
  private async page(running: RunningSql, limit: number): Promise<JsonResponse> {
    const { columns, revisions } = running;
    const print = jsonPrinter(columns);
    const printed: string[] = [];
    let bytes = 0;
    let [rows, truncated] = [await running.next(), false];
    while (rows.length > 0 && !truncated) {
      for (const row of rows) {
        const text = print(row);
        bytes += Buffer.byteLength(text) + 1;
        truncated = printed.length === limit || bytes > this.config.maxPageBytes;
        if (truncated) break;
        printed.push(text);
      }
      if (!truncated) rows = await running.next();
    }
    const shown = columns.map(({ name, type }) => ({ name, type }));
    const meta = { columns: shown, revisions, truncated };
    return JsonResponse.printed(`[${printed.join(',')}]`, { meta });
  }

  /** Returns the rows as lines. The statement is known to be valid before anything is sent. */
  private async file(
    caller: Caller,
    workspaceId: string,
    body: RunSqlDto,
    type: string,
  ): Promise<StreamedResponse> {
    const permit = await this.exports.acquire(caller.accountId);
    const watched = this.watch.start({ caller, permission: 'rows:read' }, permit.end);
    let running: RunningSql | undefined;
    const release = (): void => {
      running?.end();
      watched.stop();
      permit.release();
    };
    try {
      const timeoutMs = this.config.exportQueryTimeoutSeconds * 1_000;
      const started = await this.start(caller, workspaceId, body, timeoutMs);
      running = started;
      const { columns } = started;
      const isCsv = type === CSV;
      const print = isCsv ? csvPrinter(columns) : jsonPrinter(columns);
      const source = new RowExport(
        isCsv ? `${csvHeader(columns)}\n` : '',
        body.endLine === true,
        () => linesOf(started, print, body.limit ?? Infinity),
        () => {
          started.end();
          permit.releaseDatabase();
        },
        (outcome, rows) => {
          this.metrics.end(outcome, rows);
          release();
        },
      );
      return new StreamedResponse(source, {
        contentType: isCsv ? 'text/csv; charset=utf-8; header=present' : NDJSON,
        etag: `"${newId()}"`,
        trailers: EXPORT_TRAILERS,
        spoolRoom: permit.spoolRoom,
        signal: permit.signal,
        pace: this.config,
      });
    } catch (error) {
      release();
      throw error;
    }
  }
}

function ownerOf({ accountId, onlyDatagridIds }: Caller, workspaceId: string): SqlOwner {
  return { accountId, workspaceId, onlyDatagridIds: onlyDatagridIds ?? null };
}

/** Size of a part of a file, in characters. */
const PART_CHARACTERS = 1024 * 1024;

/** Yields the lines in parts. @returns the number of rows. */
async function* linesOf(
  running: RunningSql,
  print: PrintRow,
  limit: number,
): AsyncGenerator<Buffer, number> {
  let count = 0;
  while (count < limit) {
    const rows = await running.next();
    if (rows.length === 0) break;
    const sent = rows.slice(0, limit - count);
    count += sent.length;
    let part = '';
    for (const row of sent) {
      part += `${print(row)}\n`;
      if (part.length < PART_CHARACTERS) continue;
      yield Buffer.from(part);
      part = '';
    }
    if (part !== '') yield Buffer.from(part);
  }
  return count;
}
