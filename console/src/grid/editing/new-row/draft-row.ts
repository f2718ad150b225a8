import { ApiError, messageOf } from '../../../api/api-error';
import { AttemptKey } from '../../../api/attempt-key';
import { guardWindow } from '../../../common/leave-guard';
import type { Column, Datagrid, Row } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { CellEdit } from '../../cells/cell-edit';
import type { KnownRow } from '../../cells/known-row';
import { typedJson, valuesBody } from '../../cells/values/typed-value';
import { createRow } from '../../data/row-calls';
import { fieldsOf } from '../unsaved/row-sender';

/** No row has this id. */
export const DRAFT_ID = 0;

/** A typed row with the key of its attempts to create it. */
interface TypedRow {
  readonly cells: ReadonlyMap<string, CellEdit>;
  readonly problem: string;
  readonly attempt: AttemptKey;
}

/**
 * The row that is typed into the last line of the grid and does not exist yet. The line is free for
 * the next row while rows are being created, one after the other. A row that could not be created
 * is kept until `recall` shows it again.
 */
export class DraftRow {
  readonly row: KnownRow = { id: DRAFT_ID, values: {}, revision: 0, schemaVersion: 0 };
  private cells: ReadonlyMap<string, CellEdit> = new Map();
  private problem = '';
  private attempt = new AttemptKey();
  /** Number of rows that are being created. */
  private sending = 0;
  /** Number of rows that have left the line. */
  sent = 0;
  private lastSent: Promise<unknown> = Promise.resolve();
  private failed: readonly TypedRow[] = [];
  private readonly listeners = new Set<() => void>();

  /** @param create Sends `{"values":{…}}` with an idempotency key. */
  constructor(private readonly create: (body: string, key: string) => Promise<Row>) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns the typed cells: the same map until something changes. */
  readonly typed = (): ReadonlyMap<string, CellEdit> => this.cells;

  /** Returns why the row could not be added, if it is not about one cell. */
  get message(): string {
    return this.problem;
  }

  get isSaving(): boolean {
    return this.sending > 0;
  }

  /** Returns the number of rows that could not be created and wait for the line. */
  get waiting(): number {
    return this.failed.length;
  }

  get hasUnsaved(): boolean {
    return this.cells.size + this.sending + this.failed.length > 0;
  }

  type(key: string, typed: string): void {
    const cells = new Map(this.cells);
    if (typed === '') cells.delete(key);
    else cells.set(key, { typed, state: 'typed', message: '' });
    this.problem = '';
    this.show(cells);
  }

  discard(): void {
    this.clear();
    this.recall();
  }

  /** Shows a row that could not be created, if the line is free. */
  recall(): void {
    const [row, ...others] = this.failed;
    if (!row || this.cells.size > 0) return;
    this.failed = others;
    this.problem = row.problem;
    this.attempt = row.attempt;
    this.show(row.cells);
  }

  /**
   * Creates the row, unless it is empty or has a wrong value. The line is free at once.
   * @returns the row, or `null` if it was not created: the cells and `message` say why, after
   * `recall` if the row was sent.
   */
  async save(columns: readonly Column[]): Promise<Row | null> {
    if (![...this.cells.values()].some(({ typed }) => typed !== '')) return null;
    const { values, wrong } = this.valuesFor(columns);
    if (wrong.size > 0) {
      this.show(marked(this.cells, wrong));
      return null;
    }
    const { cells, attempt } = this;
    const body = valuesBody(values);
    this.sending += 1;
    this.sent += 1;
    this.clear();
    const sent = this.lastSent.then(() => attempt.use(body, (key) => this.create(body, key)));
    this.lastSent = sent.catch(() => undefined);
    try {
      return await sent;
    } catch (error) {
      const fields: ReadonlyMap<string, string> =
        error instanceof ApiError ? fieldsOf(error) : new Map<string, string>();
      const problem = fields.size > 0 ? '' : messageOf(error);
      this.failed = [...this.failed, { cells: marked(cells, fields), problem, attempt }];
      return null;
    } finally {
      this.sending -= 1;
      this.show(new Map(this.cells));
    }
  }

  private clear(): void {
    this.problem = '';
    this.attempt = new AttemptKey();
    this.show(new Map());
  }

  private valuesFor(columns: readonly Column[]): {
    values: Map<string, string>;
    wrong: Map<string, string>;
  } {
    const values = new Map<string, string>();
    const wrong = new Map<string, string>();
    for (const column of columns) {
      const read = typedJson(column, this.cells.get(column.key)?.typed ?? '');
      if (!read.ok) wrong.set(column.key, read.message);
      else if (read.json !== 'null') values.set(column.key, read.json);
      else if (column.required && column.defaultValue === undefined)
        wrong.set(column.key, gridText.values.required);
    }
    return { values, wrong };
  }

  private show(cells: ReadonlyMap<string, CellEdit>): void {
    this.cells = cells;
    for (const listener of this.listeners) listener();
  }
}

/** Returns the typed cells, with those that are wrong as rejected. */
function marked(
  typed: ReadonlyMap<string, CellEdit>,
  wrong: ReadonlyMap<string, string>,
): ReadonlyMap<string, CellEdit> {
  const cells = new Map<string, CellEdit>();
  for (const [key, cell] of typed) {
    if (cell.typed !== '') cells.set(key, { typed: cell.typed, state: 'typed', message: '' });
  }
  for (const [key, message] of wrong) {
    cells.set(key, { typed: cells.get(key)?.typed ?? '', state: 'rejected', message });
  }
  return cells;
}

/** Drafts by user and datagrid. They outlive the page, so that typed text is not lost. */
const drafts = new Map<string, DraftRow>();

export function draftOf(userId: string, { id }: Datagrid): DraftRow {
  const name = `${userId} ${id}`;
  const draft = drafts.get(name) ?? new DraftRow((body, key) => createRow(id, body, key));
  drafts.set(name, draft);
  return draft;
}

guardWindow(() => [...drafts.values()].some((draft) => draft.hasUnsaved));
