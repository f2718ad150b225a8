import { movedValues } from '../../packages/client/src/changes';
import type { Json } from './api-client';

/** Copy of a datagrid that a reader of changes keeps in sync. */
export class DatagridCopy {
  readonly rows = new Map<number, Json>();
  columns: Json[] = [];
  /** Greatest revision of each row that the reader has seen. */
  private readonly revisions = new Map<number, number>();

  /** Applies the items of a page. @throws if the revision of a row goes backwards */
  apply(items: readonly Json[]): void {
    for (const item of items) {
      switch (item.op) {
        case 'set':
          this.see(item.row.id, item.row.revision);
          this.rows.set(item.row.id, item.row);
          break;
        case 'delete':
          this.see(item.id, item.revision);
          this.rows.delete(item.id);
          break;
        case 'schema':
          this.moveValues(item.columns);
          break;
        default:
          throw new Error(`unknown change ${JSON.stringify(item)}`);
      }
    }
  }

  /** Returns the rows in id order, as `GET rows` lists them. */
  list(): Json[] {
    return [...this.rows.values()].sort((a, b) => a.id - b.id);
  }

  private see(id: number, revision: number): void {
    const seen = this.revisions.get(id) ?? 0;
    if (revision < seen) {
      throw new Error(
        `row ${String(id)} went from revision ${String(seen)} to ${String(revision)}`,
      );
    }
    this.revisions.set(id, revision);
  }

  private moveValues(columns: Json[]): void {
    for (const row of this.rows.values())
      row.values = movedValues(row.values, this.columns, columns);
    this.columns = columns;
  }
}
