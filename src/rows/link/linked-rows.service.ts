import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { extendedEtag } from '../../common/conditional/if-match';
import { type CursorPage, JsonItem, type JsonPage } from '../../common/envelope/page';
import { type AppError, invalidField } from '../../common/error/app-error';
import {
  type DatagridSchema,
  findShownColumn,
  type LinkColumn,
} from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { DatabaseGate } from '../../platform/database/database-gate';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { MAX_EXPANDED_COLUMNS } from '../query/row-query';
import { type Reader, requireLinkAccess } from './link-access';
import { linkedIdsOf } from './linked-ids';
import { LinkedRowRepository } from './linked-row.repository';

/** Maximum number of rows that one path adds to a response. */
const MAX_LINKED_ROWS = 1_000;
/** Maximum size of a response with linked rows, which the service searches for links. */
const MAX_EXPANDED_BYTES = 2_000_000;

/** A column whose linked rows are added to a response, with the columns to follow from them. */
interface Expansion {
  /** Keys of the columns from the datagrid of the request, separated by dots. */
  readonly path: string;
  readonly column: LinkColumn;
  readonly below: readonly Expansion[];
}

/** The `linked` object as it is built, and the bytes that it may still add. */
interface LinkedResponse {
  readonly members: string[];
  bytesLeft: number;
}

/**
 * Adds the rows that the rows of a response link to. They are read after the response itself, so a
 * row that is deleted in between is missing.
 */
@Injectable()
export class LinkedRowsService {
  constructor(
    private readonly config: AppConfig,
    private readonly schemas: DatagridSchemaService,
    private readonly repository: LinkedRowRepository,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Reads a page, and the rows that its rows link to.
   * @param expand Paths as the client sent them.
   * @param fields Columns of the response as the client sent them.
   * @throws AppError `not_found`, `invalid_request`, `forbidden`, `rate_limited` or `unavailable`, or as
   *   `read`
   */
  async expandPage(
    reader: Reader,
    datagridId: string,
    expand: unknown,
    fields: unknown,
    read: () => Promise<JsonPage | CursorPage>,
  ): Promise<JsonPage | CursorPage> {
    const expansions = await this.parse(reader, datagridId, expand, fields);
    const page = await read();
    const linked = await this.linkedOf(reader, expansions, page.json);
    return page.withLinked(linked, digestOf(linked));
  }

  /** Like `expandPage`, for one row. */
  async expandItem(
    reader: Reader,
    datagridId: string,
    expand: unknown,
    read: () => Promise<JsonItem>,
  ): Promise<JsonItem> {
    const expansions = await this.parse(reader, datagridId, expand, undefined);
    const { json, etag, withheld } = await read();
    const linked = await this.linkedOf(reader, expansions, `[${json}]`);
    return new JsonItem(json, etag && extendedEtag(etag, digestOf(linked)), linked, withheld);
  }

  /** Reads and checks `expand`, before any row is read. */
  private async parse(
    reader: Reader,
    datagridId: string,
    expand: unknown,
    fields: unknown,
  ): Promise<readonly Expansion[]> {
    const paths = pathsOf(expand);
    const returned = typeof fields === 'string' ? new Set(fields.split(',')) : null;
    const missing = [...paths.keys()].find((key) => returned?.has(key) === false);
    if (missing !== undefined) {
      const message = `column ${quoted(missing)} is not in fields; add it to fields`;
      throw invalidField('expand', 'incompatible_parameters', message);
    }
    const schema = await this.schemaOf(reader, datagridId);
    const expansions: Expansion[] = [];
    for (const [key, nextKeys] of paths) {
      const found = linkColumn(schema, key);
      // The rows have the column under the key that `fields` names.
      const column = returned ? { ...found, key } : found;
      requireLinkAccess(reader, column);
      const below: Expansion[] = [];
      if (nextKeys.size > 0) {
        const target = await this.schemaOf(reader, column.options.datagridId);
        for (const nextKey of nextKeys) {
          const next = linkColumn(target, nextKey);
          requireLinkAccess(reader, next);
          below.push({ path: `${key}.${nextKey}`, column: next, below: [] });
        }
      }
      expansions.push({ path: key, column, below });
    }
    return expansions;
  }

  private schemaOf({ accountId }: Reader, datagridId: string): Promise<DatagridSchema> {
    return this.gate.run(accountId, () => this.schemas.get(accountId, datagridId));
  }

  /** Returns a JSON object with the linked rows by path and id. @param json Array of rows. */
  private async linkedOf(
    reader: Reader,
    expansions: readonly Expansion[],
    json: string,
  ): Promise<string> {
    const maxBytes = Math.min(this.config.maxPageBytes, MAX_EXPANDED_BYTES);
    const text: LinkedResponse = { members: [], bytesLeft: maxBytes - Buffer.byteLength(json) };
    if (text.bytesLeft < 0) throw responseTooLarge();
    await this.follow(reader, expansions, json, text);
    return `{${text.members.join(',')}}`;
  }

  private async follow(
    reader: Reader,
    expansions: readonly Expansion[],
    json: string,
    text: LinkedResponse,
  ): Promise<void> {
    const keys = expansions.map(({ column }) => column.key);
    const idsByKey = linkedIdsOf(json, keys);
    for (const { path, column, below } of expansions) {
      const ids = idsByKey.get(column.key) ?? [];
      if (ids.length > MAX_LINKED_ROWS) throw tooManyLinked(path);
      const found = ids.length > 0 ? await this.read(reader, column, ids, text.bytesLeft) : '{}';
      text.bytesLeft -= Buffer.byteLength(found);
      text.members.push(`${JSON.stringify(path)}:${found}`);
      if (below.length > 0) await this.follow(reader, below, found, text);
    }
  }

  /** Reads rows that a column links to. */
  private async read(
    { accountId }: Reader,
    { options }: LinkColumn,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<string> {
    const { datagridId } = options;
    const small = await this.gate.run(accountId, () =>
      this.repository.findSmall(accountId, datagridId, ids, maxBytes),
    );
    if (small !== null) return small ?? '{}';
    const found = await this.findLarge(accountId, datagridId, ids, maxBytes);
    if (found === null) throw responseTooLarge();
    return found ?? '{}';
  }

  private async findLarge(
    ...rows: Parameters<LinkedRowRepository['find']>
  ): Promise<string | null | undefined> {
    try {
      return await this.repository.find(...rows);
    } catch (error) {
      throw error instanceof QueryTimeoutError ? responseTooLarge() : error;
    }
  }
}

/** Returns text that identifies linked rows. */
const digestOf = (linked: string): string => hash('sha256', linked, 'base64url').slice(0, 16);

function responseTooLarge(): AppError {
  const message =
    'adds too much data; use a smaller limit, expand fewer columns, or read the linked rows with requests of their own';
  return invalidField('expand', 'too_large', message);
}

/** Reads `expand` into the keys of its columns, each with the keys that follow. */
function pathsOf(expand: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  if (Array.isArray(expand)) {
    throw invalidField('expand', 'duplicate_parameter', 'must be given at most once');
  }
  if (typeof expand !== 'string') throw invalidField('expand', 'wrong_type', 'must be a string');
  const paths = new Map<string, Set<string>>();
  const names = expand.split(',', MAX_EXPANDED_COLUMNS + 1);
  let count = 0;
  for (const path of names) {
    const [key = '', nextKey, ...others] = path.split('.', 3);
    if (others.length > 0) {
      throw invalidField('expand', 'too_deep', 'must follow at most two links, such as a.b');
    }
    const nextKeys = paths.get(key) ?? new Set();
    if (!paths.has(key)) count += 1;
    if (nextKey !== undefined && !nextKeys.has(nextKey)) count += 1;
    if (nextKey !== undefined) nextKeys.add(nextKey);
    paths.set(key, nextKeys);
  }
  if (Math.max(count, names.length) > MAX_EXPANDED_COLUMNS) {
    const message = `must not follow more than ${String(MAX_EXPANDED_COLUMNS)} link columns`;
    throw invalidField('expand', 'too_many', message);
  }
  return paths;
}

function linkColumn(schema: DatagridSchema, key: string): LinkColumn {
  const found = findShownColumn(schema, key);
  const column = schema.links.find(({ id }) => id === found?.id);
  if (column) return column;
  throw found
    ? invalidField('expand', 'wrong_type', `column ${quoted(key)} does not link to rows`)
    : invalidField('expand', 'unknown_column', `unknown column ${quoted(key)}`);
}

const quoted = (key: string): string => JSON.stringify(key.slice(0, 63));

function tooManyLinked(path: string): AppError {
  const most = MAX_LINKED_ROWS.toLocaleString('en-US');
  const message = `${quoted(path)} adds more than ${most} rows; use a smaller limit, or read them with requests of their own`;
  return invalidField('expand', 'too_many', message);
}
