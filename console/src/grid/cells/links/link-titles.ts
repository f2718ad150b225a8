import type { Column, Row } from '../../../datagrids/datagrid';
import { linkColumns } from '../../../datagrids/stored-columns';
import { rowTitle, titleColumn } from '../../../datagrids/title-column';

/** Linked rows of a page by the key of the column and by id, as in `meta.linked` of the API. */
export type LinkedRows = Readonly<Record<string, Readonly<Record<string, Row>>>>;

/** Reads what the titles need. Each throws if the user has no access, or the server is unavailable. */
export interface TitleReader {
  readonly columns: (datagridId: string) => Promise<readonly Column[]>;
  /** Reads the values of one column. There are at most `MAX_READ` ids. Missing rows are left out. */
  readonly rows: (
    datagridId: string,
    key: string,
    ids: readonly string[],
  ) => Promise<readonly Row[]>;
}

/** Maximum number of columns in `expand`. */
const MAX_EXPANDED = 5;
/** Maximum number of rows whose titles one request reads. */
export const MAX_READ = 200;
/** Maximum number of titles of a datagrid in memory. */
const MAX_KEPT = 20_000;

interface Target {
  /** Key of the column with the titles; `null` until it is known. */
  key: string | undefined | null;
  /** `null` for a row without a title, and for one that is missing. */
  readonly titles: Map<string, string | null>;
  readonly wanted: Set<string>;
  /** Ids whose titles may have changed. */
  readonly stale: Set<string>;
  isReading: boolean;
}

/**
 * Titles of linked rows. They come with the pages of rows. Those that are missing, for example after
 * an edit or a change of others, are read together, once a cell asks for them.
 */
export class LinkTitles {
  private readonly targets = new Map<string, Target>();
  private readonly listeners = new Set<() => void>();
  private links: readonly Column[];
  private isExpanding = true;
  private changes = 0;

  constructor(
    private readonly reader: TitleReader,
    columns: readonly Column[],
  ) {
    this.links = linkColumns(columns);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns a number that changes with the titles. */
  readonly version = (): number => this.changes;

  /** Sets the columns of the datagrid whose rows are shown. */
  setColumns(columns: readonly Column[]): void {
    this.links = linkColumns(columns);
  }

  /** Returns `expand` for a page of rows; undefined if it has no linked rows. */
  readonly expand = (): string | undefined => {
    if (!this.isExpanding || this.links.length === 0) return undefined;
    const expanded = this.links.slice(0, MAX_EXPANDED);
    for (const { options } of expanded) {
      // Read while the page is being read.
      if (options.datagridId !== undefined)
        void this.findKey(options.datagridId, this.targetOf(options.datagridId));
    }
    return expanded.map(({ key }) => key).join(',');
  };

  /** The linked rows are too many or too large for a page, so further pages are read without them. */
  readonly stopExpanding = (): void => {
    this.isExpanding = false;
  };

  /** The rows are loaded again, and so are the titles of those that are shown. */
  reload(): void {
    this.isExpanding = true;
    for (const target of this.targets.values()) {
      target.key = null;
      for (const id of target.titles.keys()) target.stale.add(id);
    }
  }

  /** Takes the linked rows of a page. */
  readonly take = async (linked: LinkedRows): Promise<void> => {
    const taken = Object.entries(linked).map(async ([key, rows]) => {
      const { datagridId } = this.links.find((link) => link.key === key)?.options ?? {};
      if (datagridId === undefined) return;
      const target = this.targetOf(datagridId);
      if (!(await this.findKey(datagridId, target))) return;
      for (const [id, row] of Object.entries(rows)) this.put(target, id, row);
    });
    await Promise.all(taken);
    this.notify();
  };

  /** Takes the title of a row that the user has found. */
  add(datagridId: string, id: string, title: string | null): void {
    this.targetOf(datagridId).titles.set(id, title);
    this.notify();
  }

  /** Takes a row of a datagrid after a change. */
  update(datagridId: string, row: Pick<Row, 'id' | 'values'>): void {
    const target = this.targets.get(datagridId);
    const id = String(row.id);
    if (!target?.titles.has(id) || target.key === null) return;
    target.titles.set(id, rowTitle(target.key, row));
    this.notify();
  }

  /**
   * Returns the title of a row; `null` if it has none or cannot be read, and undefined until it is
   * known. Reads it if it is not known.
   */
  titleOf(datagridId: string, id: string): string | null | undefined {
    const target = this.targetOf(datagridId);
    const title = target.titles.get(id);
    if (title !== undefined && !target.stale.delete(id)) return title;
    target.wanted.add(id);
    if (!target.isReading) void this.readWanted(datagridId, target);
    return title;
  }

  /** Reads the titles that cells ask for, until no cell asks for more. */
  private async readWanted(datagridId: string, target: Target): Promise<void> {
    target.isReading = true;
    try {
      // The cells that are drawn at the same time ask first.
      await Promise.resolve();
      while (target.wanted.size > 0) {
        const ids = [...target.wanted].slice(0, MAX_READ);
        for (const id of ids) target.wanted.delete(id);
        await this.read(datagridId, target, ids);
        this.notify();
      }
    } finally {
      target.isReading = false;
    }
  }

  /** Rows whose titles cannot be read have none, until the rows are loaded again. */
  private async read(datagridId: string, target: Target, ids: readonly string[]): Promise<void> {
    const found = new Map<string, Row>();
    try {
      if ((await this.findKey(datagridId, target)) && target.key) {
        const rows = await this.reader.rows(datagridId, target.key, ids);
        for (const row of rows) found.set(String(row.id), row);
      }
    } catch {
      // The cells show the ids.
    }
    for (const id of ids) this.put(target, id, found.get(id));
  }

  /** Finds the column with the titles. @returns false if the columns cannot be read. */
  private async findKey(datagridId: string, target: Target): Promise<boolean> {
    if (target.key !== null) return true;
    try {
      target.key = titleColumn(await this.reader.columns(datagridId))?.key;
      return true;
    } catch {
      return false;
    }
  }

  private put({ key, titles, stale }: Target, id: string, row: Row | undefined): void {
    stale.delete(id);
    titles.delete(id);
    titles.set(id, row ? rowTitle(key ?? undefined, row) : null);
    const [oldest] = titles.keys();
    if (titles.size > MAX_KEPT && oldest !== undefined) titles.delete(oldest);
  }

  private targetOf(datagridId: string): Target {
    const known = this.targets.get(datagridId);
    if (known) return known;
    const target: Target = {
      key: null,
      titles: new Map(),
      wanted: new Set(),
      stale: new Set(),
      isReading: false,
    };
    this.targets.set(datagridId, target);
    return target;
  }

  private notify(): void {
    this.changes += 1;
    for (const listener of this.listeners) listener();
  }
}
