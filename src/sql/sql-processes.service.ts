import { Injectable } from '@nestjs/common';
import { ColumnarDatabase } from '../columnar/columnar-database';
import { CopyLoader } from '../columnar/copy-loader';
import { CopyRoom, type Occupant } from '../columnar/copy-room';
import { AppError, unavailable } from '../common/error/app-error';
import { BackgroundService } from '../platform/background/background-service';
import { AppConfig } from '../platform/config/app-config';
import { Logger } from '../platform/logging/logger';
import { Metrics } from '../platform/metrics/metrics';
import { SqlCopies } from './sql-copies';

/**
 * Processes of an instance, and of one account. As many statements run at a time, so that one is free for the
 * next.
 */
const MAX_PROCESSES = 4;
const MAX_PROCESSES_OF_ACCOUNT = 2;
/** Time after which a process that nobody has used ends. */
const KEPT_MS = 10 * 60 * 1_000;

/** Whose copies a process has: those of a workspace, or some of them. */
export interface SqlOwner {
  readonly accountId: string;
  readonly workspaceId: string;
  /** Ids of the datagrids that the caller has access to; `null` for all of the workspace. */
  readonly onlyDatagridIds: readonly string[] | null;
}

interface Kept {
  readonly accountId: string;
  readonly started: Promise<SqlCopies>;
  copies: SqlCopies | null;
  users: number;
  usedAtMs: number;
}

/** Copies that are in use until they are released. */
export interface UsedCopies {
  readonly copies: SqlCopies;
  release(): void;
}

/** Starts the processes that run statements, and ends those that nobody uses. */
@Injectable()
export class SqlProcessesService extends BackgroundService {
  private readonly kept = new Map<string, Kept>();

  constructor(
    config: AppConfig,
    private readonly database: ColumnarDatabase,
    private readonly loader: CopyLoader,
    private readonly room: CopyRoom,
    metrics: Metrics,
    logger: Logger,
  ) {
    super({ name: 'end of unused SQL processes', pauseMs: config.columnarPauseMs, logger });
    const processes = 'Processes of DuckDB that run SQL statements of workspaces.';
    metrics.gauge('sql_processes', processes, () => this.kept.size);
    const bytes = 'Size of the copies for SQL statements when they were loaded.';
    metrics.gauge('sql_copies_bytes', bytes, () =>
      this.occupants().reduce((sum, one) => sum + one.bytes, 0),
    );
    room.register(() => this.occupants());
  }

  /**
   * Returns the copies of an owner. Starts a process for them if there is none, in place of the one that
   * was used the least recently. Call it with one of MAX_PROCESSES permits.
   * @throws AppError `forbidden` if the operator has not chosen a directory, `unavailable`
   */
  async use(owner: SqlOwner): Promise<UsedCopies> {
    if (!this.database.isEnabled) {
      const message = 'SQL is not enabled by the operator. The setting COLUMNAR_DIR enables it.';
      throw new AppError('forbidden', message);
    }
    const key = keyOf(owner);
    const known = this.kept.get(key);
    const kept = known && known.copies?.isUsable !== false ? known : this.start(key, owner);
    kept.users += 1;
    kept.usedAtMs = performance.now();
    const release = (): void => {
      kept.users -= 1;
      kept.usedAtMs = performance.now();
    };
    try {
      return { copies: await kept.started, release };
    } catch (cause) {
      release();
      if (this.kept.get(key) === kept) this.kept.delete(key);
      throw unavailable('The process for SQL could not be started. Retry later.', cause);
    }
  }

  /** Ends the processes, and drops the copies, that were not used for a while. @returns their number. */
  protected override async run(): Promise<number> {
    const now = performance.now();
    const unused = [...this.kept].filter(
      ([, { users, usedAtMs, copies }]) =>
        users === 0 && (now - usedAtMs > KEPT_MS || copies?.isUsable === false),
    );
    for (const [key, kept] of unused) await this.end(key, kept);
    for (const { copies } of this.kept.values()) await copies?.dropUnused(now - KEPT_MS);
    return unused.length;
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    const all = [...this.kept.values()];
    this.kept.clear();
    await Promise.all(all.map(ended));
  }

  private occupants(): readonly Occupant[] {
    return [...this.kept].flatMap(([key, kept]) => {
      const { copies, users, usedAtMs, accountId } = kept;
      if (copies === null) return [];
      const drop = (): Promise<void> => this.end(key, kept);
      return { accountId, usedAtMs, bytes: copies.bytes, canGo: users === 0, drop };
    });
  }

  private start(key: string, owner: SqlOwner): Kept {
    const former = this.kept.get(key);
    const started = this.open(key, owner, former);
    const { accountId } = owner;
    const kept: Kept = { accountId, started, copies: null, users: 0, usedAtMs: performance.now() };
    started.then(
      (copies) => {
        kept.copies = copies;
      },
      () => undefined,
    );
    this.kept.set(key, kept);
    return kept;
  }

  private async open(key: string, owner: SqlOwner, former: Kept | undefined): Promise<SqlCopies> {
    await ended(former);
    await this.makeRoom(key, owner.accountId);
    const process = await this.database.openAside();
    const { accountId } = owner;
    return new SqlCopies(accountId, process, this.loader, (bytes) => this.goesOn(accountId, bytes));
  }

  /** Makes room for a load. @throws AppError `query_too_expensive` if there is none. */
  private async goesOn(accountId: string, bytes: number): Promise<boolean> {
    if (this.isStopping) return false;
    if (await this.room.makeFor({ accountId, bytes })) return true;
    throw noRoom();
  }

  /** Ends processes that are not in use until there are few enough: those of the account first. */
  private async makeRoom(newKey: string, accountId: string): Promise<void> {
    for (;;) {
      const own = [...this.kept].filter(([, kept]) => kept.accountId === accountId);
      const isOwn = own.length > MAX_PROCESSES_OF_ACCOUNT;
      if (!isOwn && this.kept.size <= MAX_PROCESSES) return;
      const [least] = (isOwn ? own : [...this.kept])
        .filter(([key, { users }]) => users === 0 && key !== newKey)
        .sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
      if (!least) throw new Error('All processes are in use.');
      await this.end(...least);
    }
  }

  /** Ends a process, unless somebody uses it by now. Never throws. */
  private async end(key: string, kept: Kept): Promise<void> {
    if (kept.users > 0) return;
    if (this.kept.get(key) === kept) this.kept.delete(key);
    await ended(kept);
  }
}

/** Ends a process. Never throws. */
async function ended(kept: Kept | undefined): Promise<void> {
  await kept?.started.then((copies) => copies.end()).catch(() => undefined);
}

function keyOf({ accountId, workspaceId, onlyDatagridIds }: SqlOwner): string {
  const part = onlyDatagridIds === null ? '*' : [...onlyDatagridIds].sort().join(' ');
  return `${accountId} ${workspaceId} ${part}`;
}

function noRoom(): AppError {
  return new AppError(
    'query_too_expensive',
    'There is no room for copies of the datagrids that the query reads. Read fewer or smaller datagrids.',
  );
}
