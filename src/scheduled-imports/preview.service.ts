import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/audit-action';
import { requireAccountFiles } from '../connections/account-file-access';
import { shorten } from '../common/text/id';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { cellType } from '../imports/source/header-column.service';
import { AppConfig } from '../platform/config/app-config';
import { DatabaseGate } from '../platform/database/database-gate';
import { LIMITS } from '../platform/fairness/limits';
import { CheckPermits } from '../platform/throttling/check-permits';
import { RateCounters } from '../platform/throttling/rate-counters';
import { endsWithin } from '../platform/time/ends-within';
import { ConnectionSecrets } from '../destinations/connection-secrets';
import type { StoredAccess } from '../connections/connection.repository';
import { type ConnectionRef, ConnectionService } from '../connections/connection.service';
import { DestinationError } from '../destinations/destination';
import { DestinationKinds } from '../destinations/destination-kinds';
import type { ResultColumn, ResultRow, Source, SourceQuery } from '../destinations/source';
import type { PreviewDto, PreviewRequestDto } from './dto/preview.dto';
import { matchColumns, requireColumns } from './result-columns';
import { requireOneSource } from './scheduled-import.service';

const MAX_ROWS = 20;
/** Rows from which types are detected. */
const SAMPLE_ROWS = 1_000;
const MAX_VALUE_LENGTH = 200;
const MAX_COLUMNS = 200;
const CLOSE_MS = 1_000;

/** Shows what a query of a connection returns, without writing anything. */
@Injectable()
export class PreviewService {
  private readonly permits: CheckPermits;

  constructor(
    private readonly config: AppConfig,
    private readonly gate: DatabaseGate,
    private readonly connections: ConnectionService,
    private readonly schemas: DatagridSchemaService,
    private readonly kinds: DestinationKinds,
    private readonly secrets: ConnectionSecrets,
    counters: RateCounters,
  ) {
    this.permits = new CheckPermits(LIMITS.importPreviews, config, counters);
  }

  /**
   * Runs a query and returns its columns and first rows. A failed query is a result, not an error.
   * @throws AppError `not_found`, `invalid_request`, `rate_limited` or `unavailable`.
   */
  async preview(ref: ConnectionRef, body: PreviewRequestDto, by: Actor): Promise<PreviewDto> {
    const { accountId } = ref;
    const query = requireOneSource(body);
    const { target, schema } = await this.gate.run(accountId, async () => ({
      target: await this.connections.getAccess(ref),
      schema: await this.schemaOf(ref, body.datagridId),
    }));
    requireAccountFiles(this.kinds.get(target.type), target.settings, by);
    const release = await this.permits.acquire(accountId);
    try {
      return await this.read(this.open(ref, target), query, body, schema);
    } catch (error) {
      if (error instanceof DestinationError) return failed(error.message);
      throw error;
    } finally {
      release();
    }
  }

  private async schemaOf(
    { accountId, workspaceId }: ConnectionRef,
    datagridId: string | undefined,
  ): Promise<DatagridSchema | null> {
    if (datagridId === undefined) return null;
    await this.connections.requireDatagrid({ accountId, workspaceId }, datagridId);
    return this.schemas.get(accountId, datagridId);
  }

  /** @throws DestinationError if the secret cannot be opened, or the kind cannot be read. */
  private open({ accountId, id }: ConnectionRef, target: StoredAccess): Source {
    const { type, settings } = target;
    const kind = this.kinds.get(type);
    const secret = this.secrets.openFor(id, target.secret);
    const source = kind.createSource?.({ accountId, connectionId: id, settings, secret });
    if (source) return source;
    throw new DestinationError('configuration', `Connections of type ${type} cannot be read.`);
  }

  private async read(
    source: Source,
    query: SourceQuery,
    { columns: mapping = null, keyColumns }: PreviewRequestDto,
    schema: DatagridSchema | null,
  ): Promise<PreviewDto> {
    const timeoutMs = this.config.connectionTestTimeoutSeconds * 1_000;
    const signal = AbortSignal.timeout(timeoutMs);
    const limits = { timeoutMs, maxRowBytes: 2 * this.config.maxRowBytes };
    try {
      const result = await source.read(query, limits, signal);
      try {
        const sample = await sampleOf(result.batches());
        const matched = schema && matchColumns(namesOf(result.columns), schema, mapping);
        const problem =
          schema && keyColumns ? problemOf(result.columns, schema, { keyColumns, mapping }) : null;
        const rows = sample.slice(0, MAX_ROWS).map((row) => row.slice(0, MAX_COLUMNS).map(shown));
        const columns = result.columns.slice(0, MAX_COLUMNS).map(({ name, type }, index) => ({
          name: shorten(name, MAX_VALUE_LENGTH),
          sourceType: shorten(type, MAX_VALUE_LENGTH),
          type: cellType(sample.map((row) => row[index] ?? '')),
          key: matched?.[index]?.key ?? null,
        }));
        return { ok: problem === null, error: problem, columns, rows };
      } finally {
        await endsWithin(result.close(), CLOSE_MS);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      const seconds = String(timeoutMs / 1_000);
      return failed(
        `The query did not respond within ${seconds} seconds. A run has more time. To try it, save the import and run it.`,
      );
    }
  }
}

const failed = (error: string): PreviewDto => ({ ok: false, error, columns: [], rows: [] });

const namesOf = (columns: readonly ResultColumn[]): string[] => columns.map(({ name }) => name);

function problemOf(...parameters: Parameters<typeof requireColumns>): string | null {
  try {
    requireColumns(...parameters);
    return null;
  } catch (error) {
    if (error instanceof DestinationError) return error.message;
    throw error;
  }
}

async function sampleOf(batches: AsyncIterable<readonly ResultRow[]>): Promise<ResultRow[]> {
  const sample: ResultRow[] = [];
  for await (const batch of batches) {
    sample.push(...batch.slice(0, SAMPLE_ROWS - sample.length));
    // One batch suffices to show rows; a slow query must not be awaited for more.
    if (sample.length >= MAX_ROWS) break;
  }
  return sample;
}

const shown = (value: string | null): string | null => value && shorten(value, MAX_VALUE_LENGTH);
