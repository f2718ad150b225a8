import { Injectable } from '@nestjs/common';
import { CallerService } from '../../auth/caller.service';
import type { Caller } from '../../common/caller/caller';
import { AppError, notFound, unavailable } from '../../common/error/app-error';
import type { ErrorCode } from '../../common/error/error-code';
import type { Permission } from '../../common/permission/permission';
import { RowVersionRepository } from '../read/row-version.repository';

const LOOK_EVERY_MS = 3_000;
/** For so long a stream goes on while the database does not answer. */
const MAX_UNKNOWN_MS = 30_000;

/** Failures that tell that the right is lost. Any other tells nothing: the database may be away. */
const LOSSES: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'account_suspended',
  'forbidden',
  'not_found',
]);

/** What a stream is allowed by: who asked for it, and for what. */
export interface StreamClaim {
  readonly caller: Caller;
  readonly permission: Permission;
  readonly datagridId: string;
}

/**
 * Ends streams whose caller loses the right to them: the key or the session is over, the user or
 * the account is suspended, the role no longer allows it, or the datagrid is deleted. A request is
 * allowed once, at its begin, and a stream may last for an hour; so it is asked again every 3 s.
 */
@Injectable()
export class StreamWatch {
  constructor(
    private readonly callers: CallerService,
    private readonly versions: RowVersionRepository,
  ) {}

  /**
   * @param end Called once, with the failure to answer with, when the right is lost.
   * @returns what stops the watch.
   */
  start(claim: StreamClaim, end: (reason: AppError) => void): () => void {
    let isStopped = false;
    let knownAtMs = performance.now();
    let timer: NodeJS.Timeout;
    const look = async (): Promise<void> => {
      const lost = await this.findLoss(claim);
      if (isStopped) return;
      if (lost === null) knownAtMs = performance.now();
      if (lost instanceof AppError && LOSSES.has(lost.code)) end(lost);
      else if (performance.now() - knownAtMs > MAX_UNKNOWN_MS) end(unknown(lost));
      else timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
    };
    timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }

  /** @returns `null` if the claim holds, otherwise why not, or why that is not known. */
  private async findLoss({ caller, permission, datagridId }: StreamClaim): Promise<unknown> {
    try {
      await this.callers.requireStill(caller, permission);
      return (await this.versions.find(caller.accountId, datagridId)) ? null : notFound();
    } catch (error) {
      return error;
    }
  }
}

function unknown(cause: unknown): AppError {
  return unavailable('The permission for this request could not be checked. Retry later.', cause);
}
