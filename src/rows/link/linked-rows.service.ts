import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AppError, invalidField } from '../../common/error/app-error';
import {
  type DatagridSchema,
  findShownColumn,
  type LinkColumn,
} from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import { MAX_EXPANDED_COLUMNS } from '../query/row-query';
import { SchemaBoundRead } from '../query/schema-bound-read';
import { type Reader, requireLinkAccess } from './link-access';
import { linkedIdsOf } from './linked-ids';
import { LinkedRowRepository } from './linked-row.repository';

/** Maximum number of rows that one path adds to a response. */
const MAX_LINKED_ROWS = 1_000;
/** Maximum size of a response with linked rows, which the service searches for links. */
const MAX_EXPANDED_BYTES = 2_000_000;

/** A column whose linked rows are added to a response, with the columns to follow from them. */
export interface Expansion {
  /** Keys of the columns from the datagrid of the request, separated by dots. */
  readonly path: string;
  readonly column: LinkColumn;
  readonly below: readonly Expansion[];
}

/** Linked rows by path and id. */
interface LinkedRows {
  /** A JSON object. */
  readonly json: string;
  /** Identifies them, for an ETag. */
  readonly digest: string;
}

/** The JSON object as it is built, and the bytes that it may still add. */
interface LinkedText {
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
    private readonly schemaBoundRead: SchemaBoundRead,
    private readonly repository: LinkedRowRepository,
  ) {}

  /**
   * Checks `expand`, before any row is read.
   * @param expand Paths as the client sent them.
   * @param fields Columns of the response as the client sent them.
   * @throws AppError `not_found`, `invalid_request`, `forbidden`, `rate_limited` or `unavailable`.
   */
  async parse(
    reader: Reader,
    datagridId: string,
    expand: unknown,
    fields?: string,
  ): Promise<readonly Expansion[]> {
    const paths = pathsOf(expand);
    const returned = fields === undefined ? null : new Set(fields.split(','));
    const missing = [...paths.keys()].find((key) => returned?.has(key) === false);
    if (missing !== undefined) {
      const message = `column ${quoted(missing)} is not in fields; add it to fields`;
      throw invalidField('expand', 'incompatible_parameters', message);
    }
    const schema = await this.schemaBoundRead.current(reader.accountId, datagridId);
    const expansions: Expansion[] = [];
    for (const [key, nextKeys] of paths) {
      const found = linkColumn(schema, key);
      // The rows have the column under the key that `fields` names.
      const column = returned ? { ...found, key } : found;
      requireLinkAccess(reader, column);
      const below: Expansion[] = [];
      if (nextKeys.size > 0) {
        const { datagridId: targetId } = column.options;
        const target = await this.schemaBoundRead.current(reader.accountId, targetId);
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

  /**
   * Reads the rows that rows link to.
   * @param json Array of rows.
   * @throws AppError `invalid_request` if they are too many, `rate_limited` or `unavailable`.
   */
  async read(reader: Reader, expansions: readonly Expansion[], json: string): Promise<LinkedRows> {
    const maxBytes = Math.min(this.config.maxPageBytes, MAX_EXPANDED_BYTES);
    const text: LinkedText = { members: [], bytesLeft: maxBytes - Buffer.byteLength(json) };
    if (text.bytesLeft < 0) throw responseTooLarge();
    await this.follow(reader, expansions, json, text);
    const linked = `{${text.members.join(',')}}`;
    return { json: linked, digest: hash('sha256', linked, 'base64url').slice(0, 16) };
  }

  private async follow(
    reader: Reader,
    expansions: readonly Expansion[],
    json: string,
    text: LinkedText,
  ): Promise<void> {
    const keys = expansions.map(({ column }) => column.key);
    const idsByKey = linkedIdsOf(json, keys);
    for (const { path, column, below } of expansions) {
      const ids = idsByKey.get(column.key) ?? [];
      if (ids.length > MAX_LINKED_ROWS) throw tooManyLinked(path);
      const found = ids.length > 0 ? await this.rowsOf(reader, column, ids, text.bytesLeft) : '{}';
      text.bytesLeft -= Buffer.byteLength(found);
      text.members.push(`${JSON.stringify(path)}:${found}`);
      if (below.length > 0) await this.follow(reader, below, found, text);
    }
  }

  /** Reads rows that a column links to. */
  private async rowsOf(
    { accountId }: Reader,
    { options }: LinkColumn,
    ids: readonly number[],
    maxBytes: number,
  ): Promise<string> {
    const { datagridId } = options;
    const small = await this.repository.findSmall(accountId, datagridId, ids, maxBytes);
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
