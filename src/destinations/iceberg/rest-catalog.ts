import { z } from 'zod';
import { CatalogHttp, type CatalogRequest, Long, MAX_METADATA_BYTES } from './iceberg-http';
import { CatalogResponseError, notIceberg } from './iceberg-error';
import { type LoadedTable, readTable, type SnapshotId } from './iceberg-metadata';
import type { IcebergSecret, IcebergSettings } from './iceberg-settings';

/** Separates the parts of a namespace in a URL. */
const NAMESPACE_SEPARATOR = '\u001F';
/** Time before its end at which a token is replaced. */
const TOKEN_RESERVE_MS = 60_000;
const DEFAULT_TOKEN_SECONDS = 300;
const MAX_TOKEN_SECONDS = 86_400;
const DEFAULT_SCOPE = 'catalog';

const MAX_PREFIX_LENGTH = 500;
const configResponse = z.object({
  defaults: z.record(z.string(), z.unknown()).nullish(),
  overrides: z.record(z.string(), z.unknown()).nullish(),
});
// It is part of a path, and may be encoded already.
const prefixText = z
  .string()
  .max(MAX_PREFIX_LENGTH)
  .regex(/^(?!.*\.\.)[\w.~%!$&'()*+,;=:@|/-]+$/);

const MAX_TOKEN_LENGTH = 32_768;
const tokenResponse = z.object({
  access_token: z
    .string()
    .max(MAX_TOKEN_LENGTH)
    .regex(/^[\x21-\x7E]+$/),
  expires_in: z.number().positive().max(MAX_TOKEN_SECONDS).nullish(),
});

/** What a commit requires of the table, in the form of the REST API. */
export type TableRequirement = Readonly<Record<string, unknown>>;
/** A change of the table, in the form of the REST API. */
export type TableUpdate = Readonly<Record<string, unknown>>;

/** Prints the id of a snapshot as the number that it is. */
export const printId = (id: SnapshotId | null): Long | null => (id === null ? null : new Long(id));

/** The tables of a namespace in an Apache Iceberg REST catalog. */
export class RestCatalog {
  private readonly http: CatalogHttp;
  private token: { readonly text: string; readonly endsAtMs: number } | undefined;
  private paths: { readonly namespaces: string; readonly rename: string } | undefined;

  constructor(
    private readonly settings: IcebergSettings,
    private readonly secret: IcebergSecret,
    http: CatalogHttp,
  ) {
    this.http = http;
  }

  /** Creates the namespace if it does not exist. */
  async createNamespace(): Promise<void> {
    const { namespaces } = await this.connect();
    const parts = this.settings.namespace.split('.');
    for (const [n] of parts.entries()) {
      const namespace = parts.slice(0, n + 1);
      const url = `${namespaces}/${encodeURIComponent(namespace.join(NAMESPACE_SEPARATOR))}`;
      if ((await unlessStatus(404, this.call({ method: 'GET', url }))) !== undefined) continue;
      const body = { namespace, properties: {} };
      await unlessStatus(409, this.call({ method: 'POST', url: namespaces, body }));
    }
  }

  /** Returns a table; `null` if there is none with this name. */
  async loadTable(name: string): Promise<LoadedTable | null> {
    const url = await this.urlOf(name);
    const response = await unlessStatus(
      404,
      this.call({ method: 'GET', url, maxBytes: MAX_METADATA_BYTES }),
    );
    return response === undefined ? null : readTable(response);
  }

  /** Returns whether a table or view has this name. */
  async hasName(name: string): Promise<boolean> {
    const url = await this.urlOf(name);
    const response = await unlessStatus(
      404,
      this.call({ method: 'GET', url, maxBytes: MAX_METADATA_BYTES }),
    );
    return response !== undefined;
  }

  /** Creates a table. @returns `null` if the name is taken. */
  async createTable(
    name: string,
    schema: unknown,
    properties: Readonly<Record<string, string>>,
  ): Promise<LoadedTable | null> {
    const url = await this.urlOf();
    const body = { name, schema, properties, 'stage-create': false };
    const response = await unlessStatus(
      409,
      this.call({ method: 'POST', url, body, maxBytes: MAX_METADATA_BYTES }),
    );
    return response === undefined ? null : readTable(response);
  }

  /**
   * Changes a table, if it meets the requirements. All updates are made, or none.
   * @throws CatalogResponseError with status 409 if it does not meet them. After another failure, the
   * table may have changed.
   */
  async commitTable(
    name: string,
    requirements: readonly TableRequirement[],
    updates: readonly TableUpdate[],
  ): Promise<LoadedTable> {
    const url = await this.urlOf(name);
    const identifier = { namespace: this.settings.namespace.split('.'), name };
    const body = { identifier, requirements, updates };
    return readTable(await this.call({ method: 'POST', url, body, maxBytes: MAX_METADATA_BYTES }));
  }

  /** Gives a table another name. @throws CatalogResponseError 404 or 409 if it cannot. */
  async renameTable(from: string, to: string): Promise<void> {
    const { rename } = await this.connect();
    const namespace = this.settings.namespace.split('.');
    const body = { source: { namespace, name: from }, destination: { namespace, name: to } };
    await this.call({ method: 'POST', url: rename, body });
  }

  /** Removes a table with its files, if it exists. Files stay if the catalog does not delete any. */
  async dropTable(name: string): Promise<void> {
    const url = await this.urlOf(name);
    const drop = async (purges: boolean): Promise<unknown> =>
      this.call({ method: 'DELETE', url: `${url}?purgeRequested=${String(purges)}` });
    try {
      await unlessStatus(404, drop(true));
    } catch (error) {
      if (!(error instanceof CatalogResponseError) || error.isUnclear) throw error;
      await unlessStatus(404, drop(false));
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.http.close();
  }

  /** Returns the URL of a table, or that of all tables. */
  private async urlOf(name?: string): Promise<string> {
    const { namespaces } = await this.connect();
    const parts = this.settings.namespace.split('.');
    const tables = `${namespaces}/${encodeURIComponent(parts.join(NAMESPACE_SEPARATOR))}/tables`;
    return name === undefined ? tables : `${tables}/${encodeURIComponent(name)}`;
  }

  /** Reads the configuration of the catalog once, which has the prefix of all paths. */
  private async connect(): Promise<NonNullable<RestCatalog['paths']>> {
    if (this.paths) return this.paths;
    const { uri, warehouse } = this.settings;
    const query = warehouse === null ? '' : `?warehouse=${encodeURIComponent(warehouse)}`;
    const response = await this.call({ method: 'GET', url: `${uri}/v1/config${query}` });
    const config = configResponse.safeParse(response);
    if (!config.success) throw notIceberg('configuration');
    const { overrides, defaults } = config.data;
    const given = overrides?.['prefix'] ?? defaults?.['prefix'] ?? '';
    const prefix = given === '' ? '' : `/${readPrefix(given)}`;
    const base = `${uri}/v1${prefix}`;
    this.paths = { namespaces: `${base}/namespaces`, rename: `${base}/tables/rename` };
    return this.paths;
  }

  private async call(sent: CatalogRequest): Promise<unknown> {
    const delegation = { 'x-iceberg-access-delegation': 'vended-credentials' };
    const headers = {
      ...(await this.authorization()),
      ...(this.settings.accessKeyId === null && delegation),
    };
    return this.http.send({ ...sent, headers });
  }

  private async authorization(): Promise<Readonly<Record<string, string>>> {
    const { auth } = this.settings;
    if (auth === 'none') return {};
    if (auth === 'token') return { authorization: `Bearer ${this.secret.catalog ?? ''}` };
    if (!this.token || this.token.endsAtMs < Date.now()) this.token = await this.requestToken();
    return { authorization: `Bearer ${this.token.text}` };
  }

  /** Requests a token with the client's credentials (RFC 6749). */
  private async requestToken(): Promise<NonNullable<RestCatalog['token']>> {
    const { uri, oauthUri, clientId, scope } = this.settings;
    const response = await this.http.send({
      method: 'POST',
      url: oauthUri ?? `${uri}/v1/oauth/tokens`,
      form: {
        grant_type: 'client_credentials',
        client_id: clientId ?? '',
        client_secret: this.secret.catalog ?? '',
        scope: scope ?? DEFAULT_SCOPE,
      },
    });
    const token = tokenResponse.safeParse(response);
    if (!token.success) throw notIceberg('token');
    const { access_token: text, expires_in: seconds } = token.data;
    const lifetimeMs = (seconds ?? DEFAULT_TOKEN_SECONDS) * 1_000;
    return { text, endsAtMs: Date.now() + lifetimeMs - TOKEN_RESERVE_MS };
  }
}

function readPrefix(given: unknown): string {
  const prefix = prefixText.safeParse(given);
  if (!prefix.success) throw notIceberg('prefix');
  return prefix.data;
}

/** @returns `undefined` if the catalog responds with this status. */
async function unlessStatus(status: number, response: Promise<unknown>): Promise<unknown> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof CatalogResponseError && error.status === status) return undefined;
    throw error;
  }
}
