import { itemsOf, type PageOptions, pagesOf } from './pages.ts';
import type { Page } from './row-types.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The key of the client, its owner, and its limits. */
export interface Me {
  readonly key: { readonly id: string; readonly name: string; readonly expiresAt: string | null };
  readonly user: { readonly id: string; readonly email: string };
  readonly account: { readonly id: string; readonly name: string };
  readonly role: 'viewer' | 'editor' | 'admin' | 'owner';
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
  readonly automaticIndex?: boolean;
  readonly indexing?: { readonly progress: number };
}

/** A column to create. */
export interface NewColumn extends Partial<
  Omit<Column, 'key' | 'type' | 'previousKeys' | 'automaticIndex' | 'indexing'>
> {
  readonly key: string;
  readonly type: ColumnType;
}

export interface Datagrid {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly history: boolean;
  readonly automaticIndexes?: boolean;
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
  readonly automaticIndexes?: boolean | undefined;
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
}

const pathOf = (kind: 'workspaces' | 'datagrids', id: string): string =>
  `/${kind}/${encodeURIComponent(id)}`;

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
