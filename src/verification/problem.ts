/** Kinds of problems in the counters and side tables of a datagrid's rows. */
export type ProblemKind =
  | 'counter_missing'
  | 'row_count'
  | 'last_row_id'
  | 'revision'
  | 'change_log'
  | 'row_gaps'
  | 'unique_missing'
  | 'unique_stale'
  | 'unique_wrong_row'
  | 'unique_duplicate'
  | 'index_missing'
  | 'index_wrong'
  | 'index_stale'
  | 'link_missing'
  | 'link_stale'
  | 'link_broken'
  | 'orphan'
  | 'check_failed';

/** One problem in one datagrid. */
export interface Finding {
  readonly kind: ProblemKind;
  /** One line of English for people. */
  readonly message: string;
  /** The facts of the message, for programs. */
  readonly figures: Readonly<Record<string, number | string | null>>;
}

/** A finding as it is reported. */
export interface Problem extends Finding {
  readonly datagridId: string;
  readonly repaired: boolean;
}

export interface VerifyReport {
  /** Whether no problem was found. Repaired problems also count as found. */
  readonly ok: boolean;
  /** Number of datagrids that were checked. */
  readonly datagrids: number;
  readonly problems: readonly Problem[];
  /** Number of problems that were repaired. */
  readonly repaired: number;
}

/**
 * One kind of check. Each of its statements takes one datagrid and returns an exact result by
 * itself, from one snapshot.
 */
export interface Check {
  find(datagridId: string): Promise<Finding[]>;
  /**
   * Repairs what `find` finds. Runs inside a transaction that holds the datagrid's lock. Problems
   * that cannot be repaired remain.
   */
  repair(datagridId: string): Promise<void>;
}
