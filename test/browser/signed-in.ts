import type { Browser, Locator } from 'playwright-core';
import { ApiClient } from '../support/api-client';
import { openBrowser, Visitor, type VisitorOptions } from './browser';
import { freshStart, type FreshStart } from './fresh-start';

/** A new service, and a visitor of its console who is signed in as the owner of the demo account. */
export class SignedIn {
  private constructor(
    private readonly start: FreshStart,
    private readonly browser: Browser,
    readonly visitor: Visitor,
    /** The public API, with a key of the same owner. */
    readonly api: ApiClient,
  ) {}

  /** @param permissions Permissions of the browser, such as `clipboard-read`. */
  static async arrive(permissions: readonly string[] = []): Promise<SignedIn> {
    const [start, browser] = await Promise.all([freshStart(), openBrowser()]);
    const visitor = await Visitor.arrive(browser, start.origin);
    await visitor.context.grantPermissions([...permissions]);
    await visitor.signIn(start.email, start.password);
    return new SignedIn(start, browser, visitor, new ApiClient(start.origin, start.apiKey));
  }

  /** A key of the same user. */
  get apiKey(): string {
    return this.start.apiKey;
  }

  /** Directory of the embedded PostgreSQL, for `openEmbeddedPostgres`. */
  get dataDir(): string {
    return this.start.dataDir;
  }

  /** Opens another browser profile, signed in as the same user. The caller lets it leave. */
  async another(options: VisitorOptions = {}): Promise<Visitor> {
    const visitor = await Visitor.arrive(this.browser, this.start.origin, options);
    await visitor.signIn(this.start.email, this.start.password);
    return visitor;
  }

  /** Opens another browser profile, in which nobody is signed in. The caller lets it leave. */
  stranger(options: VisitorOptions = {}): Promise<Visitor> {
    return Visitor.arrive(this.browser, this.start.origin, options);
  }

  /** Returns a displayed cell of the grid by the position of its row, from 1, and its column. */
  cell(row: number, column: string): Locator {
    return this.visitor.page.locator(`[row-index="${String(row - 1)}"] [col-id="${column}"]`);
  }

  async leave(): Promise<void> {
    await this.browser.close();
    await this.start.stop();
  }
}
