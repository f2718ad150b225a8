import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of a manual. */
export interface Page {
  /** Such as `quick-start.md`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the pages of a manual in reading order: that of the links in its index, `README.md`. A page
 * that is linked more than once is read at its first link. Links to other folders are ignored.
 */
export function readPages(folder: string): Page[] {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return pageNames(read('README.md')).map((name) => ({ name, text: read(name) }));
}

/** Returns the files in the folder of an index that the index links to, in order. */
export function pageNames(index: string): string[] {
  const names = [...index.matchAll(/\]\(([\w-]+\.md)(?:#[^)]*)?\)/g)].map(([, name = '']) => name);
  return [...new Set(names)];
}
