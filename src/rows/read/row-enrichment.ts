import { Injectable } from '@nestjs/common';
import { extendedEtag } from '../../common/conditional/if-match';
import { ComputedValuesService } from '../computed/computed-values.service';
import type { Reader } from '../link/link-access';
import { type Expansion, LinkedRowsService } from '../link/linked-rows.service';
import type { FoundRows } from './row-reader';

/** Rows with computed values and linked rows. */
export interface EnrichedRows {
  /** A JSON array. */
  readonly json: string;
  /** Strong ETag, including the quotes. It depends on what was added. */
  readonly etag: string;
  /** Keys of computed columns whose values the reader has no access to. */
  readonly withheld: readonly string[];
  /** Linked rows by path and id, as a JSON object, if the request asked for them. */
  readonly linked: string | undefined;
}

/** Adds data of other rows: first values of computed columns, then linked rows. */
@Injectable()
export class RowEnrichment {
  constructor(
    private readonly computedValues: ComputedValuesService,
    private readonly linkedRows: LinkedRowsService,
  ) {}

  /**
   * Adds computed values and linked rows. Without either, it returns the rows at once, not a promise, which
   * would cost every request.
   * @throws AppError `invalid_request` if the response is too large; `query_too_expensive`, `rate_limited` or
   *   `unavailable`.
   */
  add(
    reader: Reader,
    found: FoundRows,
    expansions: readonly Expansion[] | null,
  ): EnrichedRows | Promise<EnrichedRows> {
    const { json, etag, computed } = found;
    if (!computed && !expansions) return { json, etag, withheld: [], linked: undefined };
    return this.addSome(reader, found, expansions);
  }

  private async addSome(
    reader: Reader,
    { json, etag, computed }: FoundRows,
    expansions: readonly Expansion[] | null,
  ): Promise<EnrichedRows> {
    const valued = computed && (await this.computedValues.addTo(reader, computed, json));
    const rows = valued?.json ?? json;
    const linked = expansions && (await this.linkedRows.read(reader, expansions, rows));
    const digests = [valued, linked].flatMap((added) => added?.digest ?? []);
    return {
      json: rows,
      etag: extendedEtag(etag, digests.join('~')),
      withheld: valued?.withheld ?? [],
      linked: linked?.json,
    };
  }
}
