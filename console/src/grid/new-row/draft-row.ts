import { ApiError, messageOf } from '../../api/api-error';
import { AttemptKey } from '../../api/attempt-key';
import { guardWindow } from '../../common/leave-guard';
import type { Column, Datagrid, Row } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import type { CellEdit, CellState, KnownRow } from '../edits/row-edit';
import { fieldsOf } from '../edits/row-sender';
import { createRow } from '../rows/row-calls';
import { typedJson, valuesBody } from '../values/typed-value';

/** No row has this id. */
export const DRAFT_ID = 0;

/** A row that is typed into the last line of the grid and does not exist yet. */
export class DraftRow {
  readonly row: KnownRow = { id: DRAFT_ID, values: {}, revision: 0, schemaVersion: 0 };
  private cells: ReadonlyMap<string, CellEdit> = new Map();
  private problem = '';
  private isSending = false;
  private readonly attempt = new AttemptKey();
  private readonly listeners = new Set<() => void>();

  /** @param create Sends `{"values":{…}}` with an idempotency key. */
  constructor(private readonly create: (body: string, key: string) => Promise<Row>) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns the typed cells: the same map until one changes. */
  readonly typed = (): ReadonlyMap<string, CellEdit> => this.cells;

  /** Returns why the row could not be added, if it is not about one cell. */
  get message(): string {
    return this.problem;
  }

  type(key: string, typed: string): void {
    if (this.isSending) return;
    const cells = new Map(this.cells);
    if (typed === '') cells.delete(key);
    else cells.set(key, { typed, state: 'unsaved', message: '' });
    this.problem = '';
    this.show(cells);
  }

  discard(): void {
    if (this.isSending) return;
    this.problem = '';
    this.show(new Map());
  }

  /**
   * Creates the row, unless it is empty or being created.
   * @returns the row, or `null` if it was not created: the cells and `message` say why.
   */
  async save(columns: readonly Column[]): Promise<Row | null> {
    if (this.isSending || ![...this.cells.values()].some(({ typed }) => typed !== '')) return null;
    const { values, wrong } = this.valuesFor(columns);
    if (wrong.size > 0) {
      this.mark(wrong, 'unsaved');
      return null;
    }
    const body = valuesBody(values);
    this.isSending = true;
    this.problem = '';
    this.mark(new Map(), 'saving');
    try {
      const row = await this.attempt.use(body, (key) => this.create(body, key));
      this.show(new Map());
      return row;
    } catch (error) {
      const fields: ReadonlyMap<string, string> =
        error instanceof ApiError ? fieldsOf(error) : new Map<string, string>();
      this.problem = fields.size > 0 ? '' : messageOf(error);
      this.mark(fields, 'unsaved');
      return null;
    } finally {
      this.isSending = false;
    }
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

  /** Marks the cells that are wrong as rejected, and the others with `state`. */
  private mark(wrong: ReadonlyMap<string, string>, state: CellState): void {
    const cells = new Map<string, CellEdit>();
    for (const [key, { typed }] of this.cells) {
      if (typed !== '') cells.set(key, { typed, state, message: '' });
    }
    for (const [key, message] of wrong) {
      cells.set(key, { typed: cells.get(key)?.typed ?? '', state: 'rejected', message });
    }
    this.show(cells);
  }

  private show(cells: ReadonlyMap<string, CellEdit>): void {
    this.cells = cells;
    for (const listener of this.listeners) listener();
  }
}

/** Drafts by user and datagrid. They outlive the page, so that typed text is not lost. */
const drafts = new Map<string, DraftRow>();

export function draftOf(userId: string, { id }: Datagrid): DraftRow {
  const name = `${userId} ${id}`;
  const draft = drafts.get(name) ?? new DraftRow((body, key) => createRow(id, body, key));
  drafts.set(name, draft);
  return draft;
}

guardWindow(() => [...drafts.values()].some((draft) => draft.typed().size > 0));
