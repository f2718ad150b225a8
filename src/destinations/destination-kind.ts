import type { DeletionMode, Destination, TargetColumn } from './destination';
import type { Source } from './source';

/** Settings of a destination without the secret, of the kind's own form. */
export type DestinationSettings = Readonly<Record<string, unknown>>;

/** Settings and secret with which to connect to a destination. */
export interface DestinationAccess {
  readonly accountId: string;
  readonly connectionId: string;
  /** As `readSettings` returned them. */
  readonly settings: DestinationSettings;
  /** Password, key or token in clear, as the kind defines it; `null` if there is none. */
  readonly secret: string | null;
}

/** A column as readers of a destination see it. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/** A kind of destination: the form of its settings, and how to connect. */
export interface DestinationKind {
  /** Whether a connection can have a secret. */
  readonly hasSecret: boolean;
  /** Shortest time between two syncs, in seconds. If it is missing, changes can be copied at once. */
  readonly minIntervalSeconds?: number;
  /**
   * Number of changes that one step merges, whatever time it takes, if steps with few changes cost
   * about as much as those with many.
   */
  readonly changesPerStep?: number;
  /**
   * Whether only one process can write a destination, as a file of DuckDB. The syncs of a connection then
   * take turns. Imports read a copy.
   */
  readonly isExclusive?: boolean;
  /**
   * Returns whether a destination is in the directory of the operator. All workspaces of an account
   * share their part of it.
   */
  usesAccountFiles?(settings: DestinationSettings): boolean;
  /** Modes that its destinations support. */
  readonly deletionModes: readonly DeletionMode[];
  /**
   * Checks the settings that a user has sent.
   * @returns the settings to store, with defaults.
   * @throws AppError `invalid_request` that names `settings.<property>`.
   */
  readSettings(settings: DestinationSettings): DestinationSettings;
  /**
   * Checks the form of a secret, if it is not any text.
   * @param settings As `readSettings` returned them.
   * @throws AppError `invalid_request` that names `secret`.
   */
  checkSecret?(settings: DestinationSettings, secret: string | null): void;
  /** Returns the name and the type that a column has in a destination, as readers of the destination see them. */
  describeColumn(column: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn;
  /** Does not connect yet. @throws DestinationError if the service lacks what the kind needs. */
  create(target: DestinationAccess): Destination;
  /**
   * As `create`, for queries of scheduled imports. Missing if the kind cannot be read.
   * @throws DestinationError if the service lacks what the kind needs.
   */
  createSource?(target: DestinationAccess): Source;
}
