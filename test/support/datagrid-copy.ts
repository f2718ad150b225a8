import type { Json } from './api-client';

/** Copy of a datagrid that a reader of changes keeps in sync. */
export class DatagridCopy {
  readonly rows = new Map<number, Json>();
  columns: readonly Json[] = [];
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
          this.columns = item.columns;
          this.forgetRemovedColumns();
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

  /** Columns are told apart by id: a new column can have the key of a removed one. */
  private forgetRemovedColumns(): void {
    const ids = new Map(this.columns.map(({ key, id }) => [key as string, id as number]));
    const known = this.known;
    this.known = ids;
    for (const row of this.rows.values()) {
      const kept = Object.entries(row.values as object).filter(
        ([key]) => ids.get(key) === known.get(key),
      );
      row.values = Object.fromEntries(kept);
    }
  }

  private known = new Map<string, number>();
}
