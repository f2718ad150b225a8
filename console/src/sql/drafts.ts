import { readStored, store } from '../common/browser-storage';

/** A statement that is typed and not saved. */
export interface Draft {
  readonly sql: string;
  /** Version of the saved query that it changes. */
  readonly etag?: string | undefined;
}

/** Drafts while the browser has no storage. They are lost when the page closes. */
const unstored = new Map<string, string>();

/**
 * Returns the storage key of a draft.
 * @param queryId The saved query; `null` for a statement without a name.
 */
export const draftKey = (userId: string, workspaceId: string, queryId: string | null): string =>
  `sql:${userId}:${workspaceId}:${queryId ?? ''}`;

/** Returns the draft; `null` if nothing is changed. */
export function readDraft(key: string): Draft | null {
  const text = unstored.get(key) ?? readStored(key);
  if (text === null) return null;
  try {
    return JSON.parse(text) as Draft;
  } catch {
    return null;
  }
}

/** Keeps a draft, or forgets it. */
export function keepDraft(key: string, draft: Draft | null): void {
  const text = draft && JSON.stringify(draft);
  unstored.delete(key);
  if (store(key, text) || text === null) return;
  // A full storage still has the text before.
  store(key, null);
  unstored.set(key, text);
}
