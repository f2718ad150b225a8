import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, invalidField } from '../../common/error/app-error';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import type { Reader } from '../link/link-access';
import type { ComputedRequest } from '../query/query-request';
import { ComputedValueRepository, type LookupEntry } from './computed-value.repository';
import { readRows, type RowText, withAdded } from './row-texts';

/** Maximum number of rows that one link leads to from a page. */
const MAX_LINKED_ROWS = 1_000;
/** Maximum size of a response with computed values, which the service searches for links. */
const MAX_BYTES = 2_000_000;
/** Bytes of a computed value in addition to the value and the key. */
const BYTES_PER_VALUE = 6;
/** Bytes of each link of a lookup, also without a value: the service looks up each of them. */
const BYTES_PER_LINK = 4;

/** Rows with their computed values. */
export interface ComputedRows {
  /** A JSON array. */
  readonly json: string;
  /** Keys of the computed columns whose values the reader has no access to. */
  readonly withheld: readonly string[];
  /** Identifies the computed values, for an ETag. */
  readonly digest: string;
}

/** Values that lookups read, by the id of the row and of the column, as JSON. */
type LookedUp = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** Returns the value of a column in a row as JSON; `undefined` for no value. */
type ValueOf = (row: RowText) => string | undefined;

/** A lookup with the link column that it follows. */
interface Lookup {
  readonly column: SchemaColumn;
  readonly link: SchemaColumn;
}

/**
 * Adds the values of computed columns to rows. They are read after the rows, with a statement for each
 * linked datagrid and for each count.
 */
@Injectable()
export class ComputedValuesService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: ComputedValueRepository,
  ) {}

  /**
   * Adds computed values to the text of rows.
   * @param json Array of rows, as PostgreSQL has printed it.
   * @throws AppError `invalid_request` if a link leads to too many rows or the response is too large;
   *   `query_too_expensive`, `rate_limited` or `unavailable`.
   */
  async addTo(
    reader: Reader,
    { schema, columns, addedKeys }: ComputedRequest & { readonly schema: DatagridSchema },
    json: string,
  ): Promise<ComputedRows> {
    const bytesLeft = Math.min(this.config.maxPageBytes, MAX_BYTES) - Buffer.byteLength(json);
    if (bytesLeft < 0) throw responseTooLarge();
    const withheld = columns.filter((column) => !mayRead(reader, column));
    const readable = columns.filter((column) => !withheld.includes(column));
    const lookups = readable.flatMap((column) => lookupOf(schema, column));
    const linkKeys = new Set(lookups.map(({ link }) => link.key));
    const rows = readRows(json, linkKeys, new Set(addedKeys));
    const values = new Map<SchemaColumn, ValueOf>();
    await this.lookUp(reader, lookups, rows, bytesLeft, values);
    for (const column of readable.filter(({ type }) => type === 'count')) {
      await this.count(reader, schema.datagridId, column, rows, values);
    }
    const added: string[] = [];
    let bytes = 0;
    const printed = withAdded(json, rows, (row) => {
      const links = lookups.map(({ link }) => row.links.get(link.key)?.length ?? 0);
      bytes += BYTES_PER_LINK * links.reduce((sum, count) => sum + count, 0);
      if (bytes > bytesLeft) throw responseTooLarge();
      const members = columns.flatMap((column) => {
        const value = values.get(column)?.(row);
        return value === undefined ? [] : `"${column.key}": ${value}`;
      });
      const text = members.join(', ');
      // A linked value is repeated for each row with the link, so the text can grow without a limit.
      bytes += Buffer.byteLength(text) + BYTES_PER_VALUE;
      if (bytes > bytesLeft) throw responseTooLarge();
      added.push(text);
      return text;
    });
    const keys = withheld.map(({ key }) => key);
    return { json: printed, withheld: keys, digest: digestOf([...keys, '', ...added]) };
  }

  /** Reads the values of lookups, with a statement for each linked datagrid. */
  private async lookUp(
    reader: Reader,
    lookups: readonly Lookup[],
    rows: readonly RowText[],
    maxBytes: number,
    values: Map<SchemaColumn, ValueOf>,
  ): Promise<void> {
    const datagridIds = new Set(lookups.map(({ link }) => link.options.datagridId));
    for (const datagridId of datagridIds) {
      const own = lookups.filter(({ link }) => link.options.datagridId === datagridId);
      const ids = new Set(own.flatMap((lookup) => linkedIds(lookup, rows)));
      if (datagridId === undefined || ids.size === 0) continue;
      const columnIds = [...new Set(own.map(({ column }) => column.options.columnId ?? 0))];
      const rowIds = [...ids].sort((a, b) => a - b);
      const found = await this.read(reader, datagridId, rowIds, columnIds, maxBytes);
      for (const { column, link } of own) {
        values.set(column, valueOfLink(link, column.options.columnId ?? 0, found));
      }
    }
  }

  private async read(
    { accountId }: Reader,
    datagridId: string,
    rowIds: readonly number[],
    columnIds: readonly number[],
    maxBytes: number,
  ): Promise<LookedUp> {
    const small = await this.repository.findSmall(
      accountId,
      datagridId,
      rowIds,
      columnIds,
      maxBytes,
    );
    const entries =
      small === null
        ? await this.repository
            .find(accountId, datagridId, rowIds, columnIds, maxBytes)
            .catch(mapTimeout(responseTooLarge))
        : small;
    if (entries === null) throw responseTooLarge();
    return byRow(entries ?? []);
  }

  private async count(
    { accountId }: Reader,
    targetId: string,
    column: SchemaColumn,
    rows: readonly RowText[],
    values: Map<SchemaColumn, ValueOf>,
  ): Promise<void> {
    const { datagridId, columnId } = column.options;
    if (datagridId === undefined || columnId === undefined || rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    const counts = await this.repository
      .count(accountId, datagridId, columnId, ids, targetId)
      .catch(mapTimeout(() => tooManyLinks(column)));
    if (counts) values.set(column, ({ id }) => String(counts.get(id) ?? 0));
  }
}

/** Returns whether a key has access to the datagrid that a computed column reads. */
function mayRead({ onlyDatagridIds }: Reader, { options }: SchemaColumn): boolean {
  const { datagridId } = options;
  return !onlyDatagridIds || datagridId === undefined || onlyDatagridIds.includes(datagridId);
}

/** Returns nothing if the link column is gone, or leads elsewhere by now. */
function lookupOf({ links }: DatagridSchema, column: SchemaColumn): Lookup[] {
  if (column.type !== 'lookup') return [];
  const { linkId, datagridId } = column.options;
  const link = links.find(({ id, options }) => id === linkId && options.datagridId === datagridId);
  return link ? [{ column, link }] : [];
}

/** @throws AppError `invalid_request` */
function linkedIds({ column, link }: Lookup, rows: readonly RowText[]): number[] {
  const ids = new Set(rows.flatMap(({ links }) => links.get(link.key) ?? []));
  if (ids.size > MAX_LINKED_ROWS) throw tooManyLinked(column);
  return [...ids];
}

function byRow(entries: readonly LookupEntry[]): LookedUp {
  const rows = new Map<number, Map<number, string>>();
  for (const [rowId, columnId, value] of entries) {
    const row = rows.get(rowId) ?? new Map<number, string>();
    rows.set(rowId, row.set(columnId, value));
  }
  return rows;
}

/** Returns the value of a linked row, or with `multiLink` an array of those of all that have one. */
function valueOfLink({ key, type }: SchemaColumn, columnId: number, found: LookedUp): ValueOf {
  return ({ links }) => {
    const ids = links.get(key);
    const values = ids?.flatMap((id) => found.get(id)?.get(columnId) ?? []);
    if (type === 'link') return values?.[0];
    return values && `[${values.join(', ')}]`;
  };
}

function digestOf(parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url').slice(0, 16);
}

/** Returns a handler that replaces the error of a timeout. */
function mapTimeout(replacement: () => AppError): (error: unknown) => never {
  return (error) => {
    throw error instanceof QueryTimeoutError ? replacement() : error;
  };
}

function responseTooLarge(): AppError {
  const message =
    'returns too much data with computed columns; use a smaller limit, or leave computed columns out with fields; read a single row in a list';
  return invalidField('fields', 'too_large', message);
}

function tooManyLinked({ key }: SchemaColumn): AppError {
  const most = MAX_LINKED_ROWS.toLocaleString('en-US');
  const message = `column ${JSON.stringify(key)} reads more than ${most} linked rows; use a smaller limit, or leave computed columns out with fields; read a single row in a list`;
  return invalidField('fields', 'too_many', message);
}

function tooManyLinks({ key }: SchemaColumn): AppError {
  const message = `Column ${JSON.stringify(key)} counts too many links. Use a smaller limit, or leave the column out with fields.`;
  return new AppError('query_too_expensive', message);
}
