import { Injectable } from '@nestjs/common';
import type { IfNoneMatch } from '../../common/conditional/if-match';
import { NotModified } from '../../common/envelope/page';
import { notFound, unavailable } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { DatabaseGate } from '../../platform/database/database-gate';
import { type RowVersion, RowVersionRepository } from './row-read.repository';

/** Avoids reading rows that the client already has. */
@Injectable()
export class VersionCheck {
  constructor(private readonly repository: RowVersionRepository) {}

  /**
   * Compares the tags that the client has with that of the current response.
   * @param ifNoneMatch `If-None-Match` of the request. Without it no statement runs.
   * @param etagOf Returns the ETag of the response at a version.
   * @returns `null` if the rows must be read.
   * @throws AppError `not_found` if the account has no such datagrid.
   */
  async notModified(
    accountId: string,
    datagridId: string,
    ifNoneMatch: IfNoneMatch | undefined,
    etagOf: (version: RowVersion) => string,
  ): Promise<NotModified | null> {
    if (ifNoneMatch === undefined) return null;
    const version = await this.repository.find(accountId, datagridId);
    if (!version) throw notFound('Datagrid');
    const etag = etagOf(version);
    return ifNoneMatch.find(etag) === undefined ? null : new NotModified(etag);
  }
}

const MAX_ATTEMPTS = 5;

/** Reads rows with a statement that depends on the columns. */
@Injectable()
export class SchemaBoundRead {
  constructor(
    private readonly schemas: DatagridSchemaService,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Runs `read` with the cached columns, and again with the current ones if they have changed.
   * @param read Passes the version of the columns to the database, and returns `null` if it found
   *   another one.
   * @throws AppError `not_found`, `unavailable` if the columns keep changing, or as `read`.
   */
  async run<T>(
    accountId: string,
    datagridId: string,
    read: (schema: DatagridSchema) => Promise<T | null>,
  ): Promise<T> {
    // Reads the columns with a connection of the main pool, which the query itself does not use.
    const current = (): Promise<DatagridSchema> =>
      this.gate.run(accountId, () => this.schemas.get(accountId, datagridId));
    const quick = await this.schemas.tryWithCached(accountId, datagridId, read, current);
    if (quick) return quick;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const found = await read(await current());
      if (found) return found;
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }
}
