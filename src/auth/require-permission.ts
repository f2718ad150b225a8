import type { Caller } from '../common/caller/caller';
import { accountSuspended, AppError } from '../common/error/app-error';
import { roleHas, type Permission } from '../common/permission/permission';

/** @throws AppError `account_suspended`; `forbidden` if the caller's role lacks the permission. */
export function requirePermission({ suspended, role }: Caller, permission: Permission): void {
  if (suspended) throw accountSuspended();
  if (roleHas(role, permission)) return;
  throw new AppError('forbidden', `The role ${role} does not allow this.`);
}
