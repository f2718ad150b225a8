import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 20_000;
const REMEMBERED_MS = 60_000;

/**
 * Datagrids in which rows were found that are not small (see `IS_SMALL`). Their pages are printed
 * row by row, on the connections for queries. Losing an entry only costs time.
 */
@Injectable()
export class LargeRows {
  private readonly found = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  mayHave(datagridId: string): boolean {
    return this.found.has(datagridId);
  }

  note(datagridId: string): void {
    this.found.set(datagridId, true);
  }
}
