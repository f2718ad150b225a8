import { Injectable } from '@nestjs/common';
import { JsonResponse } from '../common/envelope/json-response';
import { notFound } from '../common/error/app-error';
import { etagOfText } from '../platform/http/etag';
import { type HistoryEntry, historyEntries } from './history-entries';
import { HistoryRepository, type RowRef } from './history.repository';
import { encodePosition, type Position, positionRequest } from './position-cursor';

/** Reads the history of a row. */
@Injectable()
export class RowHistoryService {
  constructor(private readonly versions: HistoryRepository) {}

  /**
   * Returns a page of entries, newest first.
   * @param query Query parameters of the request.
   * @throws AppError `invalid_request`, or `not_found` if the row never existed or its versions have
   *   expired.
   */
  async list(row: RowRef, query: Readonly<Record<string, unknown>>): Promise<JsonResponse> {
    const { datagridId, rowId } = row;
    const isOwn = ([id]: Position): boolean => id === rowId;
    const { limit, after } = positionRequest(datagridId, query, 'row', isOwn);
    const end = after?.[1] ?? Number.MAX_SAFE_INTEGER;
    const versions = await this.versions.list(row, end, limit + 1);
    if (versions.length === 0 && (after === null || !(await this.versions.hasRow(row)))) {
      throw notFound('Row');
    }
    const entries = historyEntries(versions, versions.length <= limit).filter(
      ({ revision }) => revision < end,
    );
    const page = fitting(entries.slice(0, limit));
    const last = page.at(-1);
    const hasMore = page.length < entries.length || versions.length > limit;
    const nextCursor = last && hasMore ? encodePosition(datagridId, [rowId, last.revision]) : null;
    const json = `[${page.map(print).join(',')}]`;
    return JsonResponse.cursorPage(json, page.length, nextCursor, { etag: etagOfText(json) });
  }
}

/** Returns the entries up to the first one whose values were not read because the page is full. */
function fitting(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const end = entries.findIndex(({ version }) => version?.values === null);
  return end < 0 ? entries : entries.slice(0, end);
}

/** Prints an entry as the API returns it. */
function print({ version, ...entry }: HistoryEntry): string {
  const { revision, operation, at, userId, keyId } = entry;
  const head = JSON.stringify({ revision, operation, at, userId, keyId }).slice(0, -1);
  const removedColumns = JSON.stringify(version?.removedColumns ?? []);
  return `${head},"values":${version?.values ?? 'null'},"removedColumns":${removedColumns}}`;
}
