import { createHash } from 'node:crypto';
import type { RowVersion } from '../read/row-version.repository';

/** Returns the ETag of a response, which depends on the last write, the columns and the query. */
export function rowQueryEtag({ revision, schemaVersion }: RowVersion, asked: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
  return `"${String(revision)}-${String(schemaVersion)}-${hash.slice(0, 16)}"`;
}
