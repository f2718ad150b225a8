import chromium from '@sparticuz/chromium';
import { chromium as engine, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium';

/** Timeout of each step, for a machine that is busy with other tests. */
const PATIENCE_MS = 20_000;

/**
 * Starts the Chromium of an npm package, which needs no manual installation. It runs in several
 * processes, because visitors in a single process would share their cookies.
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

export interface VisitorOptions {
  readonly view?: View;
  readonly colorScheme?: 'light' | 'dark';
}

/** A user of the console, with a separate browser profile and one open page. */
export class Visitor {
  /** Script errors, and what the Content-Security-Policy blocked. */
  readonly errors: string[] = [];
  /** URLs of requests to other origins. */
  readonly foreignRequests: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      // The browser logs every response with an error status. The page displays these errors.
      const isRejection = message.text().includes('Failed to load resource');
      if (message.type() === 'error' && !isRejection) this.errors.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`))
        this.foreignRequests.push(url);
    });
  }

  static async arrive(
    browser: Browser,
    origin: string,
    options: VisitorOptions = {},
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
    await this.page.getByLabel('Email').fill(email);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  }

  /** Waits until the page shows a text. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
