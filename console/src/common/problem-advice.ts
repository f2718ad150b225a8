import { isApiError } from '../api/api-error';
import { text } from '../text/text';

/** Title and hint for an error: what happened, and what to do. */
export interface Advice {
  readonly title: string;
  readonly hint: string | undefined;
  /** Whether the server is unavailable. If not, it has rejected the request or failed. */
  readonly isOutage: boolean;
}

/** Returns the title and the hint for any thrown value. */
export function adviceOf(error: unknown): Advice {
  const t = text.problem;
  if (!isApiError(error)) return { title: t.unknown, hint: t.reload, isOutage: false };
  const { status, isOutage, retryAfterSeconds } = error;
  const advise = (title: string, hint?: string): Advice => ({ title, hint, isOutage });
  if (isOutage) return advise(t.outage, status === 0 ? t.checkNetwork : t.waitOutage);
  if (status === 403) return advise(t.forbidden, t.askOwner);
  if (status === 404) return advise(t.notFound, t.lookInTrash);
  if (status === 429) return advise(t.limited, t.wait(retryAfterSeconds));
  if (status >= 500) return advise(t.failed, t.report);
  return advise(t.unknown);
}
