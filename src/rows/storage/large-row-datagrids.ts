import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_DATAGRIDS = 20_000;
const REMEMBERED_MS = 60_000;

/**
 * Datagrids that had a row that is not small (see `IS_SMALL`), or a page that was too large.
 * Their pages are printed row by row, on the connections for queries. Losing an entry only costs time.
 */
@Injectable()
export class LargeRowDatagrids {
  private readonly found = new LRUCache<string, true>({ max: MAX_DATAGRIDS, ttl: REMEMBERED_MS });

  mayHave(datagridId: string): boolean {
    return this.found.has(datagridId);
  }

  note(datagridId: string): void {
    this.found.set(datagridId, true);
  }
}
