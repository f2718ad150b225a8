import type { SharedColumn, SharedRow } from '../api/shared-rows';
import { sharedViewText } from '../text/shared-view-text';
import { element } from './element';
import { cellOf } from './shared-cell';

const NUMERIC = new Set(['integer', 'number', 'decimal']);

/** The rows of a public link, in a table that scrolls on its own. */
export class SharedTable {
  /** Focusable, so that it scrolls with the keys. */
  readonly root = element('div', {
    className: 'table-frame',
    tabIndex: 0,
    role: 'region',
    ariaLabel: sharedViewText.rows,
  });
  private readonly body = element('tbody');

  constructor(
    private readonly columns: readonly SharedColumn[],
    /** Shown after the last row. */
    end: Node,
  ) {
    const heads = columns.map((column) => {
      const head = element('th', { scope: 'col', className: classOf(column) }, column.title);
      // A style attribute would be blocked by the Content-Security-Policy, but not this.
      if (column.width !== undefined) head.style.minWidth = `${column.width}px`;
      return head;
    });
    const table = element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...heads)),
      this.body,
    );
    this.root.append(table, end);
  }

  get count(): number {
    return this.body.rows.length;
  }

  add(rows: readonly SharedRow[]): void {
    this.body.append(...rows.map((row) => this.rowOf(row)));
  }

  private rowOf(row: SharedRow): Node {
    const cells = this.columns.map((column) =>
      element('td', { className: classOf(column) }, ...cellOf(column, valueOf(row, column))),
    );
    return element('tr', {}, ...cells);
  }
}

/** A row without a value in the column `constructor` inherits a function of this name. */
const valueOf = (row: SharedRow, { key }: SharedColumn): unknown =>
  Object.hasOwn(row, key) ? row[key] : undefined;

const classOf = ({ type }: SharedColumn): string => (NUMERIC.has(type) ? 'number' : '');
