import chromium from '@sparticuz/chromium';
import { chromium as engine, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium';

/** How long a page may take to show what it should, on a machine that is busy with other tests. */
const PATIENCE_MS = 20_000;

/**
 * A real browser, that of an npm package: there is nothing to install by hand. In one process alone
 * its visitors would share their cookies.
 */
export async function openBrowser(): Promise<Browser> {
  return engine.launch({
    executablePath: await unpackedChromium(),
    args: [...chromium.args.filter((argument) => argument !== '--single-process'), '--no-sandbox'],
    headless: true,
  });
}

export interface View {
  readonly width: number;
  readonly height: number;
}

export const DESKTOP: View = { width: 1280, height: 800 };
export const PHONE: View = { width: 360, height: 740 };

/** A person in front of the console: a browser profile of their own, with one page open. */
export class Visitor {
  /** What the page's scripts complained of, and what its Content-Security-Policy refused. */
  readonly complaints: string[] = [];
  /** Where requests went that were not for the service. */
  readonly strangers: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // A refusal of the service is shown in the page; the browser's own line about it is no fault.
      const isRefusal = message.text().includes('Failed to load resource');
      if (message.type() === 'error' && !isRefusal) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`)) this.strangers.push(url);
    });
  }

  static async arrive(
    browser: Browser,
    origin: string,
    options: { readonly view?: View; readonly colorScheme?: 'light' | 'dark' } = {},
  ): Promise<Visitor> {
    const { view = DESKTOP, colorScheme = 'light' } = options;
    const context = await browser.newContext({
      viewport: view,
      colorScheme,
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visitor(context, await context.newPage(), origin);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.open('/sign-in');
    await this.page.getByLabel('E-mail').fill(email);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  }

  /** Waits until a text stands on the page. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
