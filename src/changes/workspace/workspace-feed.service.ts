import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../common/caller/app-request';
import type { JsonResponse } from '../../common/envelope/json-response';
import { notFound } from '../../common/error/app-error';
import { DatabaseGate } from '../../platform/database/database-gate';
import type { LiveResponse } from '../../platform/http/live-response';
import type { CountedResponse } from '../../platform/load/load';
import type { ChangeRequest } from '../change-request';
import { ChangeWatch } from '../change-watch';
import type { Feed, FeedStart, ReadPage, Separator } from '../feed';
import { LiveFeed } from '../live-feed';
import {
  bitsFor,
  Buckets,
  MAX_BITS,
  decodeWorkspaceCursor,
  encodeWorkspaceCursor,
  type WorkspacePosition,
} from './workspace-cursor';
import {
  type ChangedDatagrid,
  stateOf,
  WorkspaceFeedRepository,
  type WorkspaceRead,
} from './workspace-feed.repository';

/**
 * A workspace that is written without pause is read so often that it takes a tenth of the time of
 * one connection, for each instance.
 */
const GAP_PER_READ_TIME = 9;
/** Longest time between two reads. A read can take long because the database is busy. */
const MAX_GAP_MS = 2_000;

/** A position, with the number of datagrids of the workspace when the page was read. */
type Position = WorkspacePosition & { readonly total?: number };

/**
 * Returns the datagrids of a workspace that have changed. A cursor has hashes of buckets of datagrids,
 * and a page has the datagrids of the buckets that differ. So writes store nothing for the feed, and a
 * cursor never expires. The methods throw the errors of `LiveFeed`.
 */
@Injectable()
export class WorkspaceFeedService {
  constructor(
    private readonly repository: WorkspaceFeedRepository,
    private readonly watch: ChangeWatch,
    private readonly gate: DatabaseGate,
    private readonly feeds: LiveFeed,
  ) {}

  page(
    caller: Caller,
    workspaceId: string,
    request: ChangeRequest,
    response: Response & CountedResponse,
  ): Promise<JsonResponse> {
    return this.feeds.page(caller, this.feed(caller, workspaceId), request, response);
  }

  events(caller: Caller, workspaceId: string, request: ChangeRequest): LiveResponse {
    return this.feeds.events(caller, this.feed(caller, workspaceId), request);
  }

  lines(caller: Caller, workspaceId: string, request: ChangeRequest): LiveResponse {
    return this.feeds.lines(caller, this.feed(caller, workspaceId), request);
  }

  private feed({ accountId }: Caller, workspaceId: string): Feed<Position> {
    return {
      accountId,
      id: workspaceId,
      form: '',
      permission: 'datagrids:read',
      watch: this.watch.workspaces,
      read: (start, limit, separator) => this.read(accountId, workspaceId, start, limit, separator),
      stateAt: ({ known, total = 0 }) => stateOf(total, known.fold(0).get(0)),
      encodeCursor: (position) => encodeWorkspaceCursor(workspaceId, position),
      decodeCursor: (cursor) => decodeWorkspaceCursor(workspaceId, cursor),
    };
  }

  private async read(
    accountId: string,
    workspaceId: string,
    start: FeedStart<Position>,
    limit: number,
    separator: Separator,
  ): Promise<ReadPage<Position>> {
    const isLatest = start === 'latest';
    const position = typeof start === 'string' ? BEGINNING : start;
    const read = await this.gate.run(accountId, async () => {
      const startedMs = performance.now();
      const found = await this.repository.read(
        accountId,
        workspaceId,
        position,
        isLatest ? 0 : limit,
      );
      const gapMs = GAP_PER_READ_TIME * (performance.now() - startedMs);
      this.watch.workspaces.pace(workspaceId, Math.min(gapMs, MAX_GAP_MS));
      return found;
    });
    if (!read) throw notFound('Workspace');
    const { total, buckets } = read;
    if (isLatest) return { items: '', count: 0, total, position: atEnd(read), isUpToDate: true };
    const returned = read.changed.slice(0, limit);
    const after = positionAfter(position, read, returned);
    const isUpToDate = after.open === null && after.known.equals(buckets.fold(after.known.bits));
    return {
      items: returned.map(itemOf).join(separator),
      count: returned.length,
      total,
      position: isUpToDate ? atEnd(read, after.next) : { ...after, total },
      isUpToDate,
    };
  }
}

/** Position of a reader that knows no datagrid. */
const BEGINNING: Position = { known: Buckets.empty(MAX_BITS), next: 0, open: null };

/** Position of a reader that has read everything, with as many buckets as it then needs. */
function atEnd({ buckets, total }: WorkspaceRead, next = 0): Position {
  const known = buckets.fold(bitsFor(total));
  return { known, next: next % known.count, open: null, total };
}

/**
 * Returns the position after a page. A bucket is known once all of its datagrids have been returned,
 * with the hash that it had when the first of them were read. If it changes in the meantime, the hash
 * differs, and the bucket is read again.
 */
function positionAfter(
  { known, next, open }: WorkspacePosition,
  { buckets, changed }: WorkspaceRead,
  returned: readonly ChangedDatagrid[],
): WorkspacePosition {
  const current = buckets.fold(known.bits);
  const hashAtStart = (bucket: number): number =>
    open !== null && bucket === next ? open.hash : current.get(bucket);
  const [last, following] = [returned.at(-1), changed[returned.length]];
  const isOpen = last !== undefined && last.bucket === following?.bucket;
  const end = following?.bucket ?? next;
  const after = known.copy();
  // Without a following datagrid, the page has read every bucket.
  for (let turn = 0; turn < known.count; turn += 1) {
    const bucket = (next + turn) % known.count;
    if (following && bucket === end) break;
    after.set(bucket, hashAtStart(bucket));
  }
  if (!isOpen) return { known: after, next: end, open: null };
  return { known: after, next: end, open: { hash: hashAtStart(end), afterId: last.id } };
}

function itemOf({ id, isDeleted, name, rowCount, revision, ...times }: ChangedDatagrid): string {
  if (isDeleted) return JSON.stringify({ op: 'delete', id });
  const createdAt = new Date(times.createdAtMs).toISOString();
  const updatedAt = new Date(times.updatedAtMs).toISOString();
  return JSON.stringify({
    op: 'set',
    datagrid: { id, name, rowCount, revision, createdAt, updatedAt },
  });
}
