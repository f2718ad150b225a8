/**
 * Counts the properties of all objects within a parsed value. If the text has more, a key occurred
 * twice in one object. The caller limits the depth of the value. An own `__proto__` property
 * counts.
 */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  const object = value as Record<string, unknown>;
  const keys = Object.keys(object);
  for (const key of keys) {
    const member = object[key];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count + keys.length;
}
