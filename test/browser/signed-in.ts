import type { Browser, Locator } from 'playwright-core';
import { SessionService } from '../../src/auth/session/session.service';
import { SESSION_COOKIE } from '../../src/auth/session/session-cookie';
import type { Role } from '../../src/common/permission/permission';
import type { ApiClient } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { type Member, TestApp } from '../support/test-app';
import { Visitor, type VisitorOptions } from './browser';
import { sharedBrowser } from './shared-browser';

export interface ArrivalOptions extends VisitorOptions {
  /** Permissions of the browser, such as `clipboard-read`. */
  readonly permissions?: readonly string[];
  /** A service with its own settings, which the file closes. Otherwise the shared one. */
  readonly app?: TestApp;
}

/** A new account of the service, and a visitor of its console who is signed in as its owner. */
export class SignedIn {
  private constructor(
    readonly app: TestApp,
    private readonly browser: Browser,
    readonly owner: Member,
    readonly visitor: Visitor,
  ) {}

  static async arrive(options: ArrivalOptions = {}): Promise<SignedIn> {
    const { permissions = [], app = await TestApp.shared() } = options;
    const [owner, browser] = await Promise.all([app.newAccount(), sharedBrowser()]);
    const visitor = await enter(app, browser, owner, options);
    await visitor.context.grantPermissions([...permissions]);
    return new SignedIn(app, browser, owner, visitor);
  }

  /** Without a trailing slash. */
  get origin(): string {
    return this.app.origin;
  }

  /** The public API, with a key of the owner. */
  get api(): ApiClient {
    return this.owner.api;
  }

  /** Opens another browser profile, signed in as the same user. The caller lets it leave. */
  another(options: VisitorOptions = {}): Promise<Visitor> {
    return enter(this.app, this.browser, this.owner, options);
  }

  /** Opens another browser profile, signed in as a new user of the account. The caller lets it leave. */
  async colleague(role: Role, options: VisitorOptions = {}): Promise<Visitor> {
    const user = await this.app.newUser(this.owner.accountId, role);
    return enter(this.app, this.browser, user, options);
  }

  /** Opens another browser profile, in which nobody is signed in. The caller lets it leave. */
  stranger(options: VisitorOptions = {}, origin = this.origin): Promise<Visitor> {
    return Visitor.arrive(this.browser, origin, options);
  }

  /** Returns a displayed cell of the grid by the position of its row, from 1, and its column. */
  cell(row: number, column: string): Locator {
    return this.visitor.page.locator(`[row-index="${String(row - 1)}"] [col-id="${column}"]`);
  }

  /** Closes all browser profiles of the service. The service and the browser stay for other files. */
  async leave(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }
}

/** Opens a browser profile with the cookie of a new session. */
async function enter(
  app: TestApp,
  browser: Browser,
  { userId }: Member,
  options: VisitorOptions,
): Promise<Visitor> {
  const visitor = await Visitor.arrive(browser, app.origin, options);
  const userAgent = await visitor.page.evaluate<string>('navigator.userAgent');
  const client = { userAgent, address: '127.0.0.1' };
  const { token } = await app.nest.get(SessionService, { strict: false }).start(userId, client);
  await visitor.context.addCookies([
    { name: SESSION_COOKIE, value: token, url: app.origin, httpOnly: true, sameSite: 'Lax' },
  ]);
  return visitor;
}

/** Creates the workspace and the datagrid of a first start, with three rows, and returns their ids. */
export async function newDemo(
  api: ApiClient,
): Promise<{ readonly workspaceId: string; readonly datagridId: string }> {
  const workspaceId = dataOf(await api.post('/workspaces', { name: 'Demo' }), 201).id as string;
  const columns = [
    { key: 'iata', type: 'text', title: 'IATA code', required: true, unique: true },
    { key: 'name', type: 'text', title: 'Name', required: true },
    { key: 'city', type: 'text', title: 'City' },
    { key: 'latitude', type: 'number', title: 'Latitude', required: true },
  ];
  const created = await api.post(`/workspaces/${workspaceId}/datagrids`, {
    ...{ name: 'Airports', columns },
    description: 'Airports of the United States, from the npm package vega-datasets',
  });
  const datagridId = dataOf(created, 201).id as string;
  const rows = [
    { iata: '00M', name: 'Thigpen', city: 'Bay Springs', latitude: 31.95376472 },
    { iata: '00R', name: 'Livingston Municipal', city: 'Livingston', latitude: 30.68586111 },
    { iata: '00V', name: 'Meadow Lake', latitude: 38.94574889 },
  ].map((values) => ({ values }));
  dataOf(await api.post(`/datagrids/${datagridId}/rows`, { rows }), 201);
  return { workspaceId, datagridId };
}
