import { itemsOf, type PageOptions, pagesOf } from './pages.ts';
import type { Page } from './row-types.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The key of the client, its owner, and its limits. */
export interface Me {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly expiresAt: string | null;
    /** Permissions that the key is limited to, such as `rows:read`; `null` for all of its owner's role. */
    readonly scopes: readonly string[] | null;
    /** Workspaces that the key is limited to. If this and `datagridIds` are `null`, it is not limited. */
    readonly workspaceIds: readonly string[] | null;
    /** Datagrids that the key is limited to, beside those of `workspaceIds`. */
    readonly datagridIds: readonly string[] | null;
  };
  readonly user: { readonly id: string; readonly email: string };
  readonly account: { readonly id: string; readonly name: string };
  /** Role of the owner in the account. In a workspace of `workspaceRoles`, the higher role applies. */
  readonly role: 'member' | 'viewer' | 'editor' | 'admin' | 'owner';
  readonly workspaceRoles: readonly {
    readonly workspaceId: string;
    readonly role: 'viewer' | 'editor' | 'admin';
  }[];
  readonly limits: {
    readonly requests: number;
    readonly accountRequests: number;
    readonly windowSeconds: number;
  };
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ColumnType =
  | 'text'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'select'
  | 'multiSelect'
  | 'email'
  | 'url'
  | 'json'
  | 'link'
  | 'multiLink'
  | 'lookup'
  | 'count'
  /** The service sets the values of these types. */
  | 'autonumber'
  | 'createdBy'
  | 'updatedBy';

/** Options of a column type. */
export interface ColumnOptions {
  readonly choices?: readonly string[];
  /** Datagrid whose rows a `link` or `multiLink` column links to, or a `count` column counts. */
  readonly datagridId?: string;
  readonly onDelete?: 'restrict' | 'clear' | 'cascade';
  /** Whether values of a `text` or `email` column that differ only in case are equal. */
  readonly ignoreCase?: boolean;
  /** Key of the link column that a `lookup` follows. */
  readonly link?: string;
  /** Key of the column that a `lookup` reads in the linked datagrid, or a `count` in `datagridId`. */
  readonly column?: string;
  /** Whether a column that a `lookup` or `count` reads was removed. Only in responses. */
  readonly broken?: boolean;
  /** First number of an `autonumber` column. */
  readonly start?: number;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly options: ColumnOptions;
  /** Keys that the column had before, and that requests may still use. */
  readonly previousKeys?: readonly { readonly key: string; readonly expiresAt: string }[];
  readonly defaultValue?: unknown;
  readonly indexing?: { readonly progress: number };
}

/** What only responses have. `never`, so that a column that was read is not sent as it is. */
interface NotInRequests {
  readonly previousKeys?: never;
  readonly indexing?: never;
}

/** Options of a column in a request. */
export interface ColumnOptionsInput extends Omit<ColumnOptions, 'broken'> {
  readonly broken?: never;
}

interface ColumnProperties {
  readonly title?: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly options?: ColumnOptionsInput;
  readonly defaultValue?: unknown;
}

/** A column to create. `newColumnOf` makes one of a column that was read. */
export interface NewColumn extends ColumnProperties, NotInRequests {
  readonly key: string;
  readonly type: ColumnType;
}

/** A change of a column. Properties that are absent stay. */
export interface ColumnChanges extends ColumnProperties, NotInRequests {
  /** Requests can use the previous key for 90 days. */
  readonly key?: string;
  /** Previous keys that requests can no longer use. */
  readonly releaseKeys?: readonly string[];
  readonly type?: ColumnType;
  /** Choices to add at the end of `options.choices`. */
  readonly addChoices?: readonly string[];
  /** Place among the columns, from 0. */
  readonly position?: number;
  /** Whether to convert stored values to a new type or new choices, and clear those that do not convert. */
  readonly convert?: boolean;
}

/** Returns a column to create with the definition of a column that was read. */
export function newColumnOf(column: Column): NewColumn {
  const { key, title, type, required, unique, indexed, defaultValue } = column;
  const sent = Object.entries(column.options).filter(([name]) => name !== 'broken');
  const options: ColumnOptionsInput = Object.fromEntries(sent);
  const value = defaultValue === undefined ? {} : { defaultValue };
  return { key, title, type, required, unique, indexed, options, ...value };
}

export interface Datagrid {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly history: boolean;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface WorkspaceChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface DatagridChanges extends WorkspaceChanges {
  readonly history?: boolean | undefined;
}

/** The workspaces of the account. */
export class Workspaces {
  constructor(private readonly transport: Transport) {}

  page(options: PageOptions = {}): Promise<Page<Workspace>> {
    return pageAt(this.transport, '/workspaces', options);
  }

  /** Yields all workspaces, oldest first. */
  list(options: PageOptions = {}): AsyncGenerator<Workspace> {
    return itemsOf(pagesOf((page) => this.page({ limit: 200, ...options, page }), options.page));
  }

  get(id: string, options: CallOptions = {}): Promise<Workspace> {
    return this.transport.data({ ...options, method: 'GET', path: pathOf('workspaces', id) });
  }

  create(
    workspace: WorkspaceChanges & { readonly name: string },
    options: CallOptions = {},
  ): Promise<Workspace> {
    const call = { ...options, method: 'POST' as const, path: '/workspaces', body: workspace };
    return this.transport.data(call);
  }

  update(id: string, body: WorkspaceChanges, options: CallOptions = {}): Promise<Workspace> {
    const path = pathOf('workspaces', id);
    return this.transport.data({ ...options, method: 'PATCH', path, body });
  }

  /** Moves a workspace to the trash. With `cascade`, also if it contains datagrids. */
  async delete(
    id: string,
    { cascade, ...options }: CallOptions & { readonly cascade?: boolean | undefined } = {},
  ): Promise<void> {
    const path = pathOf('workspaces', id);
    await this.transport.request({ ...options, method: 'DELETE', path, query: { cascade } });
  }
}

/** The datagrids of the account. */
export class Datagrids {
  constructor(private readonly transport: Transport) {}

  page(workspaceId: string, options: PageOptions = {}): Promise<Page<Datagrid>> {
    return pageAt(this.transport, `${pathOf('workspaces', workspaceId)}/datagrids`, options);
  }

  /** Yields all datagrids of a workspace, oldest first. */
  list(workspaceId: string, options: PageOptions = {}): AsyncGenerator<Datagrid> {
    return itemsOf(pagesOf((page) => this.page(workspaceId, { ...options, page }), options.page));
  }

  get(id: string, options: CallOptions = {}): Promise<Datagrid> {
    return this.transport.data({ ...options, method: 'GET', path: pathOf('datagrids', id) });
  }

  create(
    workspaceId: string,
    datagrid: DatagridChanges & {
      readonly name: string;
      readonly columns?: readonly NewColumn[] | undefined;
    },
    options: CallOptions = {},
  ): Promise<Datagrid> {
    const path = `${pathOf('workspaces', workspaceId)}/datagrids`;
    return this.transport.data({ ...options, method: 'POST', path, body: datagrid });
  }

  update(id: string, body: DatagridChanges, options: CallOptions = {}): Promise<Datagrid> {
    const path = pathOf('datagrids', id);
    return this.transport.data({ ...options, method: 'PATCH', path, body });
  }

  /** Moves a datagrid to the trash. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.request({ ...options, method: 'DELETE', path: pathOf('datagrids', id) });
  }

  /** Adds a column to a datagrid. `columns` of the datagrid lists them. */
  addColumn(id: string, body: NewColumn, options: CallOptions = {}): Promise<Column> {
    const path = `${pathOf('datagrids', id)}/columns`;
    return this.transport.data({ ...options, method: 'POST', path, body });
  }

  updateColumn(
    id: string,
    key: string,
    body: ColumnChanges,
    options: CallOptions = {},
  ): Promise<Column> {
    return this.transport.data({ ...options, method: 'PATCH', path: columnPathOf(id, key), body });
  }

  /** Moves a column and its values to the trash of the datagrid. */
  async deleteColumn(id: string, key: string, options: CallOptions = {}): Promise<void> {
    await this.transport.request({ ...options, method: 'DELETE', path: columnPathOf(id, key) });
  }
}

const pathOf = (kind: 'workspaces' | 'datagrids', id: string): string =>
  `/${kind}/${encodeURIComponent(id)}`;

const columnPathOf = (id: string, key: string): string =>
  `${pathOf('datagrids', id)}/columns/${encodeURIComponent(key)}`;

function pageAt<Item>(
  transport: Transport,
  path: string,
  { page, limit, signal, maxAttempts }: PageOptions,
): Promise<Page<Item>> {
  return transport.body({
    method: 'GET',
    path,
    query: { page, limit },
    ...{ signal, maxAttempts },
  });
}
