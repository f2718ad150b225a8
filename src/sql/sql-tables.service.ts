import { Injectable } from '@nestjs/common';
import { AppError, invalidField, notFound } from '../common/error/app-error';
import { shorten } from '../common/text/id';
import { tableNameFor } from '../connections/table-name';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { DatabaseGate } from '../platform/database/database-gate';
import type { SqlOwner } from './sql-processes.service';
import type { SqlTable } from './sql-table';
import { type NamedDatagrid, SqlTablesRepository } from './sql-tables.repository';

const MAX_DATAGRIDS = 10_000;
/** Names of tables in an error message, and their maximum length. */
const MAX_SHOWN = 20;
const MAX_NAME = 100;

/** Datagrids by the names of their tables. */
export type NamedTables = ReadonlyMap<string, NamedDatagrid>;

/** The tables of workspaces. */
@Injectable()
export class SqlTablesService {
  constructor(
    private readonly repository: SqlTablesRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Returns the tables of a workspace that its owner has access to. The name of a table depends on all
   * datagrids of the workspace: of two with like names, the older one has the name without a number.
   * @throws AppError `not_found`, `query_too_expensive`
   */
  async list({ accountId, workspaceId, onlyDatagridIds }: SqlOwner): Promise<NamedTables> {
    const all = await this.gate.run(accountId, () =>
      this.repository.list(accountId, workspaceId, MAX_DATAGRIDS + 1),
    );
    if (!all) throw notFound('Workspace');
    if (all.length > MAX_DATAGRIDS) throw tooManyDatagrids();
    const taken = new Set<string>();
    const tables = new Map<string, NamedDatagrid>();
    for (const datagrid of all) {
      const name = tableNameFor(datagrid.name, taken);
      taken.add(name);
      if (onlyDatagridIds?.includes(datagrid.id) !== false) tables.set(name, datagrid);
    }
    // The key is limited to datagrids elsewhere.
    if (tables.size === 0 && onlyDatagridIds) throw notFound('Workspace');
    return tables;
  }

  /**
   * Returns some of the tables with their present columns.
   * @param names Names in a statement, in lower case.
   * @throws AppError `invalid_request` if there is no such table; `not_found` if it has just been deleted.
   */
  async read(
    accountId: string,
    tables: NamedTables,
    names: readonly string[],
  ): Promise<readonly SqlTable[]> {
    const found = names.map((name) => {
      const datagrid = tables.get(name);
      if (!datagrid) throw unknownTable(name, tables);
      return { name, id: datagrid.id };
    });
    const read: SqlTable[] = [];
    for (const { name, id } of found) {
      const schema = await this.gate.run(accountId, () => this.schemas.get(accountId, id));
      read.push({ name, schema });
    }
    return read;
  }
}

function unknownTable(name: string, tables: NamedTables): AppError {
  const names = [...tables.keys()].slice(0, MAX_SHOWN).join(', ');
  const more = tables.size > MAX_SHOWN ? ', …' : '';
  const known = tables.size === 0 ? 'the workspace has none' : `the tables are ${names}${more}`;
  const message = `reads the table "${shorten(name, MAX_NAME)}", which does not exist; ${known}`;
  return invalidField('sql', 'unknown_datagrid', message);
}

function tooManyDatagrids(): AppError {
  const max = MAX_DATAGRIDS.toLocaleString('en-US');
  const message = `The workspace has more than ${max} datagrids. SQL does not support as many.`;
  return new AppError('query_too_expensive', message);
}
