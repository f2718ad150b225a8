/**
 * How the names in a file name columns. The console uses this module, too, so that a file that was
 * imported by one of them is understood by the other.
 */

const MAX_TITLE_LENGTH = 200;
/** Lengths at which titles were cut before they were shortened. The console cut at the second. */
const FORMER_CUTS = [MAX_TITLE_LENGTH, 190];
const SHOWN_FROM_START = 120;
const SHOWN_FROM_END = 69;

/** The names of a column. */
interface NamedColumn {
  readonly key: string;
  readonly title: string;
}

/** The column that a name stands for; `several` if the name does not tell which, `null` for none. */
export type NameMatch<Column> = Column | 'several' | null;

/**
 * Returns the title of the column that a name creates: the name, of at most 200 characters. The title
 * of a longer name has its start, its end and its hash. So different names have different titles.
 * @param name Trimmed.
 */
export function columnTitle(name: string): string {
  if (name.length <= MAX_TITLE_LENGTH) return name;
  const characters = Array.from(name);
  if (characters.length <= MAX_TITLE_LENGTH) return name;
  const start = characters.slice(0, SHOWN_FROM_START).join('');
  return `${start}… ${characters.slice(-SHOWN_FROM_END).join('')} ${hash(name)}`;
}

/** FNV-1a of the UTF-16 code units, as 8 hexadecimal digits. */
function hash(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  }
  return (sum >>> 0).toString(16).padStart(8, '0');
}

/**
 * Returns the titles that a name stands for, the closest first: the name, its title if it is long, the
 * titles that it had before, and the name without line breaks, as the console writes titles.
 */
function titlesOf(name: string): string[] {
  const cuts = FORMER_CUTS.filter((length) => name.length > length).map((length) =>
    Array.from(name.slice(0, 2 * length))
      .slice(0, length)
      .join('')
      .trim(),
  );
  return [name, columnTitle(name), ...cuts, singleSpaced(name)];
}

/** Returns a name without line breaks, tabs and repeated spaces. */
export const singleSpaced = (name: string): string => name.replaceAll(/\s+/g, ' ').trim();

/**
 * Finds the columns that the names in a header stand for. A title that is equal to a name wins over a
 * key, because a file that created columns has their titles. If titles would name a column twice, and
 * all names are keys, the names are keys: they come from an export. If the titles are the keys of the
 * same columns in another order, nothing tells which of them the file means.
 * @param names Trimmed. A blank name stands for no column.
 * @param findKey Finds a column by its key.
 */
export function matchNames<Column extends NamedColumn>(
  names: readonly string[],
  columns: Iterable<Column>,
  findKey: (name: string) => Column | undefined,
): NameMatch<Column>[] {
  const titled = columnsByTitle(columns);
  const keyed = names.map((name) => (name === '' ? null : (findKey(name) ?? null)));
  const found = names.map((name, at) => {
    const own = keyed[at] ?? null;
    if (name === '' || own?.title === name) return own;
    const title = titlesOf(name).find((each) => titled.has(each));
    return title === undefined ? own : (titled.get(title) ?? 'several');
  });
  if (names.some((name, at) => name !== '' && keyed[at] === null)) return found;
  const byTitle = found.filter((match) => match !== null);
  const [ofTitles, ofKeys] = [new Set(byTitle), new Set(keyed.filter((column) => column !== null))];
  if (ofTitles.size < byTitle.length && !ofTitles.has('several')) return keyed;
  const isReordered =
    ofKeys.size === ofTitles.size && [...ofKeys].every((column) => ofTitles.has(column));
  return isReordered ? found.map((match, at) => (match === keyed[at] ? match : 'several')) : found;
}

/** Returns the column of each title; `null` if several columns have the title. */
function columnsByTitle<Column extends NamedColumn>(
  columns: Iterable<Column>,
): ReadonlyMap<string, Column | null> {
  const titles = new Map<string, Column | null>();
  for (const column of columns) {
    titles.set(column.title, titles.has(column.title) ? null : column);
  }
  return titles;
}
