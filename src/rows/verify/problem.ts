/** What can be wrong with the numbers and side tables that go with a datagrid's rows. */
export type ProblemKind =
  | 'counter_missing'
  | 'row_count'
  | 'last_row_id'
  | 'revision'
  | 'row_gaps'
  | 'unique_missing'
  | 'unique_stale'
  | 'unique_wrong_row'
  | 'unique_duplicate'
  | 'index_missing'
  | 'index_wrong'
  | 'index_stale'
  | 'orphan'
  | 'check_failed';

/** One thing that is wrong with one datagrid. */
export interface Finding {
  readonly kind: ProblemKind;
  /** For people: one line of English. */
  readonly message: string;
  /** What the message says, for programs. */
  readonly figures: Readonly<Record<string, number | string | null>>;
}

/** A finding, as it is reported. */
export interface Problem extends Finding {
  readonly datagridId: string;
  readonly repaired: boolean;
}

export interface VerifyReport {
  /** Whether no problem was found; those that were repaired count. */
  readonly ok: boolean;
  /** How many were looked at. */
  readonly datagrids: number;
  readonly problems: readonly Problem[];
  /** How many of the problems are repaired. */
  readonly repaired: number;
}

/** One kind of check. Every statement of it names one datagrid, and is exact by itself. */
export interface Check {
  find(datagridId: string): Promise<Finding[]>;
  /** Inside a transaction that holds the datagrid's lock. What cannot be repaired stays. */
  repair(datagridId: string): Promise<void>;
}
