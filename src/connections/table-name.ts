import { v5 } from 'uuid';

/** Maximum length of the name of a table. Leaves room for suffixes of a destination. */
export const MAX_TABLE_NAME_LENGTH = 50;

/** Name of a table for a datagrid whose name has no usable character. */
const FALLBACK = 'datagrid';

/** Names that users can choose. They are those that `tableNameFor` can return. */
export const TABLE_NAME = /^[a-z][a-z0-9_]{0,49}$/;

/**
 * Returns the name of a datagrid's table in a destination: lower-case ASCII letters, digits and `_`,
 * beginning with a letter, which every destination accepts. So it never begins with `_datagrid`, as
 * tables of the destination's state do.
 * @param taken Names of the other tables of the connection. A number makes the new name different.
 */
export function tableNameFor(datagridName: string, taken: ReadonlySet<string>): string {
  const name = plainName(datagridName);
  let candidate = name;
  for (let number = 2; taken.has(candidate); number += 1) {
    const suffix = `_${String(number)}`;
    candidate = shortened(name, MAX_TABLE_NAME_LENGTH - suffix.length) + suffix;
  }
  return candidate;
}

function plainName(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    // The lower case of some letters has marks.
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
  const words = letters.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_|_$/g, '');
  const name = /^\d/.test(words) ? `t_${words}` : words;
  return name === '' ? FALLBACK : shortened(name, MAX_TABLE_NAME_LENGTH);
}

const shortened = (name: string, length: number): string => name.slice(0, length).replace(/_$/, '');

/**
 * Returns the id of a datagrid's table in a connection. It is always the same, so that a datagrid that
 * is removed from a connection and added again finds its state in the destination.
 */
export function tableIdOf(connectionId: string, datagridId: string): string {
  return v5(datagridId, connectionId);
}
