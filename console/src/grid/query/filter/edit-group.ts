import { isCondition, isGroup, type FilterGroup, type FilterPart } from './filter-group';
import { isLinkedKey } from './linked-columns';

/** Limits of the API, and of the dialog for groups that it adds. */
export const MAX_CONDITIONS = 100;
export const MAX_ADDED_DEPTH = 2;

/** Number of conditions of a filter, in all of its groups. */
export function conditionCount({ parts }: FilterGroup): number {
  return parts.reduce((sum, part) => sum + (isGroup(part) ? conditionCount(part) : 1), 0);
}

/** Number of conditions on columns of linked rows. */
export function linkedCount({ parts }: FilterGroup): number {
  return parts.reduce((sum, part) => {
    if (isGroup(part)) return sum + linkedCount(part);
    return sum + (isCondition(part) && isLinkedKey(part.key) ? 1 : 0);
  }, 0);
}

/** Returns a group with another part at an index, or without it if there is none. */
export function withPart(group: FilterGroup, index: number, part: FilterPart | null): FilterGroup {
  const parts = group.parts.flatMap((one, at) => (at === index ? (part ?? []) : one));
  return { ...group, parts };
}

/** Returns a filter without groups that have no conditions. */
export function withoutEmptyGroups(group: FilterGroup): FilterGroup {
  const parts = group.parts
    .map((part) => (isGroup(part) ? withoutEmptyGroups(part) : part))
    .filter((part) => !isGroup(part) || part.parts.length > 0);
  return { ...group, parts };
}
