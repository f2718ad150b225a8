import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../platform/config/app-config';
import { ColumnarDatabase } from './columnar-database';

/** Scans of a datagrid in a day after which it gets a copy. */
const SCANS_BEFORE_COPY = 2;
const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_COUNTED = 10_000;

/** A datagrid whose rows are scanned. */
interface Demand {
  readonly accountId: string;
  readonly datagridId: string;
  scans: number;
  /** Time before which no load begins, of `performance.now`. */
  notBeforeMs: number;
}

export type WantedCopy = Pick<Demand, 'accountId' | 'datagridId'>;

/** Counts scans, and says which datagrids are to have a copy. */
@Injectable()
export class CopyDemand {
  private readonly demands = new LRUCache<string, Demand>({ max: MAX_COUNTED, ttl: DAY_MS });
  private readonly wanted = new Map<string, Demand>();
  /** Accounts by the time of their last turn: the one that has waited the longest comes first. */
  private readonly turns = new LRUCache<string, number>({ max: MAX_COUNTED });
  private readonly minRows: number;

  constructor(
    config: AppConfig,
    private readonly database: ColumnarDatabase,
  ) {
    this.minRows = config.columnarMinRows;
  }

  /** Counts a scan by PostgreSQL. @param rowCount Rows of the datagrid; `null` if not known. */
  noteScan(accountId: string, datagridId: string, rowCount: number | null): void {
    if (!this.database.isEnabled || (rowCount !== null && rowCount < this.minRows)) return;
    const demand = this.demandOf(accountId, datagridId);
    demand.scans += 1;
    if (demand.scans >= SCANS_BEFORE_COPY) this.want(demand);
  }

  /** Queues a datagrid whose copy must be loaded again, or lacks more changes than a request may write. */
  noteBehind({ accountId, datagridId }: WantedCopy): void {
    const demand = this.demandOf(accountId, datagridId);
    demand.scans = Math.max(demand.scans, SCANS_BEFORE_COPY);
    this.want(demand);
  }

  /** Returns the next datagrid that is to have a copy. Accounts take turns. */
  take(): WantedCopy | undefined {
    const turnOf = ({ accountId }: Demand): number => this.turns.get(accountId) ?? 0;
    const [next] = [...this.wanted.values()].sort((a, b) => turnOf(a) - turnOf(b));
    if (!next) return undefined;
    this.wanted.delete(next.datagridId);
    this.turns.set(next.accountId, performance.now());
    return next;
  }

  /** Does not queue the datagrid again for `ms` milliseconds. */
  postpone({ accountId, datagridId }: WantedCopy, ms: number): void {
    this.demandOf(accountId, datagridId).notBeforeMs = performance.now() + ms;
  }

  private want(demand: Demand): void {
    if (performance.now() < demand.notBeforeMs || this.wanted.size >= MAX_COUNTED) return;
    this.wanted.set(demand.datagridId, demand);
  }

  private demandOf(accountId: string, datagridId: string): Demand {
    const known = this.demands.get(datagridId);
    if (known) return known;
    const demand = { accountId, datagridId, scans: 0, notBeforeMs: 0 };
    this.demands.set(datagridId, demand);
    return demand;
  }
}
