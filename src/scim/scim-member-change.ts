import { isUuid } from '../common/text/id';
import { invalidValue, scimError } from './scim-error';
import type { Filter } from './scim-filter';
import { type PatchOperation, withPaths } from './scim-patch';
import { GROUP_ATTRIBUTES, isCore, isObject } from './scim-schema';

/** Members of a group. A PATCH names at most as many. */
export const MAX_MEMBERS = 10_000;

/** How the members of a group change. Says nothing about those that it does not name. */
export interface MemberChange {
  /** Whether all others leave. */
  readonly replacesAll: boolean;
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

/**
 * Reads the values of `members`.
 * @throws AppError `invalid_request`
 */
export function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MAX_MEMBERS)
    throw invalidValue('members', `must have at most ${String(MAX_MEMBERS)} values`);
  return list.map((each) => {
    const id = isObject(each) ? each['value'] : each;
    if (typeof id !== 'string' || !isUuid(id))
      throw invalidValue('members', 'must be IDs of users');
    return id.toLowerCase();
  });
}

/**
 * Splits the operations of a PATCH of a group: those on its members, which are never all in memory, and the others.
 * @throws AppError `invalid_request`
 */
export function splitMembers(operations: readonly PatchOperation[]): {
  readonly members: MemberChange;
  readonly others: readonly PatchOperation[];
} {
  let replacesAll = false;
  const [added, removed] = [new Set<string>(), new Set<string>()];
  const others: PatchOperation[] = [];
  const forget = (): void => {
    replacesAll = true;
    added.clear();
    removed.clear();
  };
  const move = (ids: readonly string[], from: Set<string>, to: Set<string>): void => {
    for (const id of ids) {
      from.delete(id);
      to.add(id);
    }
    if (added.size + removed.size > 2 * MAX_MEMBERS)
      throw scimError('tooMany', `members: must name at most ${String(MAX_MEMBERS)} users`);
  };
  for (const operation of operations.flatMap((each) => withPaths(each, GROUP_ATTRIBUTES))) {
    const { op, path, value } = operation;
    if (path.name !== 'members' || !isCore(path.schema)) {
      others.push(operation);
      continue;
    }
    if (path.filter !== null || path.sub !== null) {
      if (op !== 'remove' || path.filter === null || path.sub !== null)
        throw scimError('mutability', 'members: a member can only be added or removed');
      move(selectedBy(path.filter), added, removed);
    } else if (op === 'add') {
      move(memberIds(value), removed, added);
    } else if (op === 'replace') {
      forget();
      move(memberIds(value), removed, added);
    } else if (value === undefined || value === null) {
      forget();
    } else {
      // Entra ID names the members to remove in place of a filter.
      move(memberIds(value), added, removed);
    }
  }
  return { members: { replacesAll, added, removed }, others };
}

/** Returns the IDs of a filter such as `value eq "…"`, or several of these. */
function selectedBy(filter: Filter): string[] {
  if (filter.op === 'or') return filter.filters.flatMap(selectedBy);
  if (filter.op !== 'eq' || filter.path.name !== 'value' || typeof filter.value !== 'string')
    throw scimError('invalidPath', 'path: members can be selected by value eq "…"');
  return isUuid(filter.value) ? [filter.value.toLowerCase()] : [];
}
