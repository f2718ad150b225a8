import { createHash } from 'node:crypto';
import type { RowVersion } from '../read/row-version.repository';

/** What is printed depends on the last write, on the columns and on what was asked. */
export function rowQueryEtag({ revision, schemaVersion }: RowVersion, asked: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
  return `"${String(revision)}-${String(schemaVersion)}-${hash.slice(0, 16)}"`;
}
