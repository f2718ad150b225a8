import { DestinationError, type TargetTable } from '../destination';
import type { ClickhouseSession } from './clickhouse-session';
import { literal, quoted } from './clickhouse-sql';
import type { Layout } from './clickhouse-layout';
import { textOf } from './clickhouse-values';

/** What the database has of a target table. */
export interface FoundObjects {
  /** The view that readers use: whether this table has created it. */
  readonly view: 'none' | 'own' | 'foreign';
  /** Position at which the view was defined, from its comment. */
  readonly viewPosition: string | null;
  /** Names of the data tables, also of those that no layout has. */
  readonly tables: readonly string[];
}

/** Prints a position, such that texts are in order of the positions. */
export const positionText = (position: bigint): string => position.toString(16).padStart(32, '0');

/**
 * The view and the data tables of one target table. The name of a data table ends with the position
 * at which it was created.
 */
export class ClickhouseObjects {
  private readonly target: string;
  private readonly prefix: string;

  constructor(
    private readonly session: ClickhouseSession,
    private readonly database: string,
    private readonly table: TargetTable,
  ) {
    this.target = this.in(table.name);
    this.prefix = `_datagrid_${table.id.replaceAll('-', '')}_`;
  }

  /** Quotes a name in the database. */
  in(name: string): string {
    return `${quoted(this.database)}.${quoted(name)}`;
  }

  /** Returns the name of a table that is created at a position. */
  nameAt(position: bigint): string {
    return this.prefix + positionText(position);
  }

  /** Returns the position at which a table was created. */
  positionOf(name: string): bigint {
    return BigInt(`0x${name.slice(this.prefix.length)}`);
  }

  async find(): Promise<FoundObjects> {
    const rows = await this.session.query(`
      SELECT name, comment FROM system.tables
      WHERE database = ${literal(this.database)}
        AND (name = ${literal(this.table.name)} OR startsWith(name, ${literal(this.prefix)}))`);
    const found = rows.map((row) => ({
      name: textOf(row, 'name'),
      comment: textOf(row, 'comment'),
    }));
    const view = found.find(({ name }) => name === this.table.name);
    const position = /, version ([0-9a-f]+)\.$/.exec(view?.comment ?? '')?.[1];
    const isOwn = view?.comment.includes(this.table.id) === true;
    return {
      view: view ? (isOwn ? 'own' : 'foreign') : 'none',
      viewPosition: position ?? null,
      tables: found.map(({ name }) => name).filter((name) => name !== this.table.name),
    };
  }

  /** @throws DestinationError if the name of the table is taken. */
  async rejectForeign(): Promise<void> {
    if ((await this.find()).view !== 'foreign') return;
    throw new DestinationError(
      'configuration',
      `The table "${this.table.name}" exists already, and this connection did not create it. Rename or drop it, or choose another name.`,
    );
  }

  /** Makes the view that of a layout, at once. @param queryId Claims wait for the statement. */
  async createView({ data, columns, view }: Layout, queryId: string): Promise<void> {
    const values = columns.map(({ name, stored }) => `, ${stored} AS ${quoted(name)}`).join('');
    const mode = { delete: '', mark: ', _deleted_at', history: ', _valid_to' }[
      this.table.deletions
    ];
    const comment = `Kept in sync by a connection of the datagrid platform. Table ${this.table.id}, version ${view ?? ''}.`;
    const statement = `
      CREATE OR REPLACE VIEW ${this.target} AS
      SELECT _id, _revision, _synced_at${mode}${values} FROM ${this.in(data ?? '')} FINAL
      COMMENT ${literal(comment)}`;
    await this.session.run(statement, 'part', queryId);
  }

  async dropView(): Promise<void> {
    await this.session.run(`DROP VIEW IF EXISTS ${this.target}`);
  }

  async dropTable(name: string): Promise<void> {
    await this.session.run(`DROP TABLE IF EXISTS ${this.in(name)}`);
  }

  /**
   * Drops tables that a layout does not have, and columns of its data table. What another worker has
   * created after the position of the layout stays.
   */
  async removeUnused({ data, columns, load }: Layout, position: bigint): Promise<void> {
    const { tables } = await this.find();
    const newest = positionText(position);
    const isUsed = (name: string, used: readonly (string | undefined)[]): boolean =>
      used.includes(name) || (/_([0-9a-f]{32})$/.exec(name)?.[1] ?? '') > newest;
    for (const table of tables) {
      if (!isUsed(table, [data ?? undefined, load?.table])) await this.dropTable(table);
    }
    if (data === null || !tables.includes(data)) return;
    const found = await this.session.query(`
      SELECT name FROM system.columns
      WHERE database = ${literal(this.database)} AND table = ${literal(data)} AND name LIKE 'c%'`);
    const stored = columns.map((column) => column.stored);
    // The default of a column that is left of a failed change can depend on one before it.
    const names = found.map((row) => textOf(row, 'name'));
    for (const name of names.filter((one) => !isUsed(one, stored)).reverse()) {
      await this.session.run(
        `ALTER TABLE ${this.in(data)} DROP COLUMN IF EXISTS ${quoted(name)}`,
        'table',
      );
    }
  }
}
