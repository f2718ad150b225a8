import { Injectable } from '@nestjs/common';
import { auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { notFound } from '../common/error/app-error';
import { isUuid } from '../common/text/id';
import { Database } from '../platform/database/database';
import {
  ConnectionAdminRepository,
  type ConnectionFilter,
  type OperatedConnection,
} from './connection-admin.repository';
import { ConnectionTableRepository } from './connection-table.repository';

/** Which connections are paused. */
export type PauseScope = { readonly connectionId: string } | { readonly accountId: string } | 'all';

/** Connections of all accounts, for operators: which of them fail, and how to stop them. */
@Injectable()
export class ConnectionAdminService {
  constructor(
    private readonly database: Database,
    private readonly repository: ConnectionAdminRepository,
    private readonly tables: ConnectionTableRepository,
    private readonly audit: AuditService,
  ) {}

  /** Returns up to `limit` connections, those first that fail, and the total. */
  async list(filter: ConnectionFilter, limit: number): Promise<[OperatedConnection[], number]> {
    return this.repository.list(filter, limit);
  }

  /**
   * Pauses connections. Runs in progress lose their claims. Users can resume them.
   * @returns the ids of those that were enabled.
   * @throws AppError `not_found`
   */
  async pause(scope: PauseScope): Promise<string[]> {
    const id = scope !== 'all' && 'connectionId' in scope ? scope.connectionId : null;
    const accountId = scope !== 'all' && 'accountId' in scope ? scope.accountId : null;
    if (id !== null && !isUuid(id)) throw notFound('Connection');
    return this.database.transaction(async () => {
      const paused = await this.repository.pause(id, accountId);
      if (id !== null && paused.length === 0 && !(await this.repository.exists(id))) {
        throw notFound('Connection');
      }
      for (const connection of paused) {
        await this.tables.restartAll(connection.id);
        const target = auditTarget('connection', connection.id, connection.name);
        const details = { properties: 'enabled', reason: 'operator' };
        const { accountId: owner } = connection;
        await this.audit.record(owner, 'operator', 'connection_updated', target, { details });
      }
      return paused.map((connection) => connection.id);
    });
  }
}
