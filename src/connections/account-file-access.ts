import type { Actor } from '../auth/audit/audit-action';
import { AppError } from '../common/error/app-error';
import type { DestinationKind, DestinationSettings } from '../destinations/destination-kind';

/**
 * Checks that a caller may use a destination. Files in the directory of the operator belong to the
 * account: a query of one can read what other workspaces have copied there. So a caller whose access is
 * confined to a workspace may not use them.
 * @throws AppError `forbidden`
 */
export function requireAccountFiles(
  kind: DestinationKind,
  settings: DestinationSettings,
  by: Actor,
): void {
  if (typeof by === 'string' || !('isConfined' in by) || !by.isConfined) return;
  if (kind.usesAccountFiles?.(settings) !== true) return;
  throw new AppError(
    'forbidden',
    'Files of the account are open only to callers with access to the whole account. Use a key without limits.',
  );
}
