import { dataRequest } from '../../api/data';
import type { Column, Row } from '../datagrid';
import { datagridPath } from '../datagrid-calls';
import { uniqueForm } from './plan/unique-values';

/** Limits of one query: the values of `$in`, their characters, and the rows of a page. */
const MAX_VALUES = 1_000;
const MAX_CHARACTERS = 200_000;
const PAGE_ROWS = 200;

/** A page of rows. */
export interface RowsPage {
  readonly data: readonly Pick<Row, 'values'>[];
  readonly meta?: { readonly nextCursor?: string | null } | undefined;
}

/** Reads one page of rows, with the body of `POST …/rows/query`. */
export type QueryRows = (body: unknown, signal: AbortSignal) => Promise<RowsPage>;

/** Returns the query of the rows of a datagrid. */
export const queryRowsOf =
  (datagridId: string): QueryRows =>
  (body, signal) =>
    dataRequest<RowsPage['data']>('POST', `${datagridPath(datagridId)}/rows/query`, {
      body,
      signal,
    });

/** The values that rows of a datagrid have in unique columns. Each value is looked for once. */
export class ExistingValues {
  /** Whether a row has a value, by the column and the form of the value. */
  private readonly known = new Map<string, Map<string, boolean>>();

  constructor(private readonly queryRows: QueryRows) {}

  /**
   * Returns which of the values rows of the datagrid have.
   * @param forms Forms of the values, as `uniqueForm` returns them.
   * @throws ApiError if the rows cannot be read.
   */
  async find(
    column: Pick<Column, 'key' | 'type' | 'options'>,
    forms: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const known = this.known.get(column.key) ?? new Map<string, boolean>();
    this.known.set(column.key, known);
    const unknown = [...forms].filter((form) => !known.has(form));
    for (const batch of batchesOf(unknown)) {
      const found = await this.read(column, batch, signal);
      for (const form of batch) known.set(form, found.has(form));
    }
    return new Set([...forms].filter((form) => known.get(form)));
  }

  private async read(
    column: Pick<Column, 'key' | 'type' | 'options'>,
    batch: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const filter = { [column.key]: { $in: batch.map((form) => JSON.parse(form) as unknown) } };
    let cursor: string | null = '';
    while (cursor !== null && found.size < batch.length) {
      const body = { filter, fields: column.key, limit: PAGE_ROWS, cursor };
      const { data, meta } = await this.queryRows(body, signal);
      for (const { values } of data) {
        found.add(uniqueForm(column, JSON.stringify(values[column.key])));
      }
      cursor = meta?.nextCursor ?? null;
    }
    return found;
  }
}

function batchesOf(forms: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let characters = 0;
  for (const form of forms) {
    characters += form.length;
    const last = batches.at(-1);
    if (last && last.length < MAX_VALUES && characters <= MAX_CHARACTERS) last.push(form);
    else {
      batches.push([form]);
      characters = form.length;
    }
  }
  return batches;
}
