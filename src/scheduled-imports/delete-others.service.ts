import { Injectable } from '@nestjs/common';
import { auditTarget, type Actor } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { authorOf } from '../datagrids/change-log/change-log-sql';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';
import { CounterRepository } from '../rows/write/counter.repository';
import { RowSetWrites } from '../rows/write/row-set-write';
import { MatchRepository } from '../rows/delete-many/match.repository';

/** Maximum number of rows that are read, and of which some are deleted, in one step. */
const STEP_ROWS = 5_000;

/** A request to delete all rows of a datagrid except some. */
export interface OthersRequest {
  readonly accountId: string;
  readonly datagridId: string;
  readonly by: Actor;
  /** Additional data of the audit events. */
  readonly details: Readonly<Record<string, string>>;
  /** Rows with a higher id are kept. */
  readonly maxId: number;
  /** Returns whether a row is kept. */
  readonly isKept: (id: number) => boolean;
  /** Checks in each transaction that the request is still valid. */
  readonly requireInStep: () => Promise<void>;
}

/** Deletes the rows of a datagrid that are not in a set, in short transactions. */
@Injectable()
export class DeleteOthersService {
  constructor(
    private readonly database: Database,
    private readonly schemas: DatagridSchemaService,
    private readonly gate: DatabaseGate,
    private readonly counters: CounterRepository,
    private readonly matches: MatchRepository,
    private readonly sets: RowSetWrites,
    private readonly audit: AuditService,
  ) {}

  /** Returns the last id that a row of the datagrid has got. @throws AppError `not_found` */
  async lastRowId(accountId: string, datagridId: string): Promise<number> {
    for (;;) {
      const schema = await this.schemas.get(accountId, datagridId);
      const counter = await this.database.transaction(() => this.counters.lock(schema));
      if (counter) return counter.lastRowId;
    }
  }

  /**
   * Deletes all other rows.
   * @param onDeleted Called with the number of rows after each step.
   * @throws AppError `not_found`, or what `requireInStep` throws. What was deleted before stays.
   */
  async delete(request: OthersRequest, onDeleted: (rows: number) => void): Promise<void> {
    const { accountId, datagridId, maxId } = request;
    for (let afterId = 0; afterId < maxId;) {
      const schema = await this.schemas.get(accountId, datagridId);
      const found = await this.matches.nextIds(schema, afterId, STEP_ROWS);
      const ids = found.filter((id) => id <= maxId && !request.isKept(id));
      if (ids.length > 0) {
        const deleted = await this.gate.runWhenFree(accountId, () =>
          this.database.transaction(() => this.deleteStep(request, schema, ids)),
        );
        // The columns have changed: the same step is done again.
        if (deleted === null) continue;
        onDeleted(deleted);
      }
      afterId = found.at(-1) ?? maxId;
    }
  }

  /** @returns the number of deleted rows; `null` if the columns are no longer those of `schema`. */
  private async deleteStep(
    { accountId, datagridId, by, details, requireInStep }: OthersRequest,
    schema: DatagridSchema,
    ids: readonly number[],
  ): Promise<number | null> {
    const author = { ...authorOf(by), accountId };
    await requireInStep();
    return this.sets.run({ author, schema, deletes: true, adds: false }, async (write) => {
      const present = await this.matches.present(schema, ids, write.counter.revision);
      const rows = await write.delete(present.map(({ id }) => id));
      if (rows === 0) return 0;
      const target = auditTarget('datagrid', datagridId);
      await this.audit.record(accountId, by, 'rows_deleted', target, {
        details: { ...details, rows },
      });
      return rows;
    });
  }
}
