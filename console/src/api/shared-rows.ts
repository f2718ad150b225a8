/** A column of a public link. */
export interface SharedColumn {
  readonly key: string;
  readonly title: string;
  readonly type: string;
  /** In pixels. */
  readonly width?: number;
}

/** Values of a row by the key of their column. */
export type SharedRow = Readonly<Record<string, unknown>>;

export interface SharedPage {
  readonly data: readonly SharedRow[];
  readonly meta: {
    readonly name: string;
    readonly columns: readonly SharedColumn[];
    /** `null` on the last page. */
    readonly nextCursor: string | null;
  };
}

/** Why rows could not be read. */
export type SharedFailure = 'gone' | 'changed' | 'too-large' | 'broken' | 'busy' | 'unreachable';

const TIMEOUT_MS = 30_000;
const UNAVAILABLE = new Set([429, 502, 503, 504]);

/**
 * Reads rows of a public link, without a session.
 * @param path Path of the page.
 * @param cursor Empty for the first rows.
 * @returns why there are none, if the request failed.
 */
export async function readSharedRows(
  path: string,
  cursor: string,
  limit: number,
): Promise<SharedPage | SharedFailure> {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) });
  try {
    const response = await fetch(`${path}/rows?${query.toString()}`, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return (await response.json()) as SharedPage;
    if (response.status === 404) return 'gone';
    if (UNAVAILABLE.has(response.status)) return 'busy';
    return response.status === 400 ? await whyRejected(response) : 'broken';
  } catch {
    return 'unreachable';
  }
}

interface Rejection {
  readonly error?: { readonly details?: readonly { readonly code: string }[] };
}

async function whyRejected(response: Response): Promise<SharedFailure> {
  const { error } = (await response.json()) as Rejection;
  return error?.details?.[0]?.code === 'too_large' ? 'too-large' : 'changed';
}
