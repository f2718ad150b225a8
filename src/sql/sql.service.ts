import { Injectable } from '@nestjs/common';
import Negotiator from 'negotiator';
import type { Caller } from '../common/caller/app-request';
import { JsonResponse } from '../common/envelope/json-response';
import { type AppError, invalidField } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { newId } from '../common/text/id';
import { ExportMetrics, ExportPermits } from '../exports/export-permits';
import { EXPORT_TRAILERS, RowExport } from '../exports/export-request';
import { AppConfig } from '../platform/config/app-config';
import { StreamedResponse } from '../platform/http/streamed-response';
import { StreamWatch } from '../rows/stream/stream-watch';
import { DEFAULT_SQL_ROWS, type RunSqlDto, type SqlTableDto } from './dto/sql.dto';
import type { SqlOwner } from './sql-processes.service';
import { type RunningSql, type SqlRequest, SqlRunnerService } from './sql-runner.service';
import { SqlTablesService } from './sql-tables.service';
import type { SessionLimits } from './timed-session';
import { csvHeader, csvPrinter, jsonPrinter, type PrintRow } from './sql-values';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const PARQUET = 'application/vnd.apache.parquet';
/** Content-Type of the response for each type of file. */
const FILES: Readonly<Record<string, string>> = {
  [CSV]: 'text/csv; charset=utf-8; header=present',
  [NDJSON]: NDJSON,
  [PARQUET]: PARQUET,
};
const KNOWN_TYPES = [...Object.keys(FILES), 'application/json', 'application/*', '*/*'];

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
   * @param signal Aborted when the client disconnects.
   * @throws as `SqlRunnerService.start`
   */
  async run(
    caller: Caller,
    workspaceId: string,
    body: RunSqlDto,
    accept = '',
    signal: AbortSignal,
  ): Promise<JsonResponse | StreamedResponse> {
    const types = new Negotiator({ headers: { accept } }).mediaTypes();
    const type = types.map((one) => one.toLowerCase()).find((one) => KNOWN_TYPES.includes(one));
    const owner = ownerOf(caller, workspaceId);
    if (type !== undefined && type in FILES) {
      const timeoutMs = this.config.exportQueryTimeoutSeconds * 1_000;
      return this.file(caller, owner, type, requestOf(body, { timeoutMs, signal }));
    }
    const timeoutMs = this.config.queryTimeoutMs;
    const running = await this.runner.start(owner, requestOf(body, { timeoutMs, signal }));
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

  /** Returns all rows as a file. The statement is known to be valid before anything is sent. */
  private async file(
    caller: Caller,
    owner: SqlOwner,
    type: string,
    request: FileRequest,
  ): Promise<StreamedResponse> {
    const isParquet = type === PARQUET;
    if (isParquet && request.endLine === true) throw noEndLine();
    const permit = await this.exports.acquire(caller.accountId);
    const watched = this.watch.start({ caller, permission: 'rows:read' }, permit.end);
    let end = (): void => undefined;
    const release = (): void => {
      end();
      watched.stop();
      permit.release();
    };
    try {
      const content = isParquet
        ? await this.parquet(owner, request)
        : await this.lines(owner, request, type === CSV);
      ({ end } = content);
      const source = new RowExport(
        content.header,
        request.endLine === true,
        content.open,
        () => {
          content.end();
          permit.releaseDatabase();
        },
        (outcome, rows) => {
          this.metrics.end(outcome, rows);
          release();
        },
      );
      return new StreamedResponse(source, {
        contentType: FILES[type] ?? type,
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

  /** Starts a statement and returns its rows as lines of CSV or NDJSON. */
  private async lines(owner: SqlOwner, request: FileRequest, isCsv: boolean): Promise<FileContent> {
    const running = await this.runner.start(owner, request);
    const { columns } = running;
    const print = isCsv ? csvPrinter(columns) : jsonPrinter(columns);
    return {
      header: isCsv ? `${csvHeader(columns)}\n` : '',
      open: () => linesOf(running, print, request.limit ?? Infinity),
      end: () => {
        running.end();
      },
    };
  }

  /** Prepares a Parquet file. `open` runs the statement: nothing is sent before DuckDB has written the file. */
  private async parquet(owner: SqlOwner, request: FileRequest): Promise<FileContent> {
    const file = await this.runner.startFile(owner, request);
    return {
      header: '',
      open: () => file.parts(),
      end: () => {
        file.close();
      },
    };
  }
}

type FileRequest = SqlRequest & Pick<RunSqlDto, 'endLine'>;

function requestOf(
  { sql, parameters, limit, endLine }: RunSqlDto,
  limits: SessionLimits,
): FileRequest {
  return {
    sql,
    ...(parameters && { parameters }),
    ...(limit !== undefined && { limit }),
    ...(endLine !== undefined && { endLine }),
    ...limits,
  };
}

/** Content of a file, and the statement that produces it. */
interface FileContent {
  readonly header: string;
  /** Yields the file after the header. @returns the number of rows. */
  readonly open: () => AsyncGenerator<Buffer, number>;
  /** Ends the statement, and frees what the file takes. Can be called again. */
  readonly end: () => void;
}

function noEndLine(): AppError {
  const message = 'must be false for a Parquet file';
  return invalidField('endLine', 'incompatible_parameters', message);
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
