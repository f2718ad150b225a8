import chromium from '@sparticuz/chromium';
import {
  chromium as engine,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from 'playwright-core';
import { eventually } from '../support/eventually';
import { unpackedChromium } from './unpacked-chromium';

/** Timeout of each step, for a machine that is busy with other tests. */
const PATIENCE_MS = 20_000;
/** The longest interval between two reads of the same data by a page. */
const READ_INTERVAL_MS = 10_000;

/**
 * Arguments of the package that the tests leave out: visitors in a single process would share their
 * cookies, and a graphics card in software draws pages at half the speed of Chromium without one.
 */
const LEFT_OUT =
  /^--(single-process|in-process-gpu|ignore-gpu-blocklist|use-gl|use-angle|enable-unsafe-swiftshader)/;

/** Starts the Chromium of an npm package, which needs no manual installation. */
export async function openBrowser(): Promise<Browser> {
  return engine.launch({
    executablePath: await unpackedChromium(),
    args: [
      ...chromium.args.filter((argument) => !LEFT_OUT.test(argument)),
      '--no-sandbox',
      '--disable-gpu',
    ],
    headless: true,
    // Jest ends a worker that takes too much memory by SIGTERM, maybe while it begins the next file, and runs
    // this file again in a new worker. Playwright would close the browser and keep the worker alive, whose
    // result of the file Jest would then take.
    handleSIGTERM: false,
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
  /** Whether the screen is touched, as that of a phone. There is no mouse then. */
  readonly isTouch?: boolean;
  readonly userAgent?: string;
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
    const { view = DESKTOP, colorScheme = 'light', isTouch = false, userAgent } = options;
    const context = await browser.newContext({
      ...(userAgent !== undefined && { userAgent }),
      ...{ viewport: view, colorScheme, hasTouch: isTouch, isMobile: isTouch },
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
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await this.page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  }

  /**
   * Holds the requests of the page to these addresses.
   * @returns a function that sends them on, and with them all later ones.
   */
  async hold(addresses: string): Promise<() => Promise<void>> {
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(addresses, async (route) => {
      await isReleased;
      await route.continue();
    });
    return async () => {
      release();
      await this.page.unrouteAll({ behavior: 'wait' });
    };
  }

  /**
   * Waits for something that the page learns from a read that it repeats at intervals. The clock of the
   * page, which the test has installed, jumps to the next of these reads.
   */
  async seesAfterReads(target: Locator): Promise<void> {
    await eventually(async () => {
      if (await target.first().isVisible()) return true;
      const read = this.page.waitForResponse((response) =>
        response.url().includes('/console/api/'),
      );
      // Less than the timeout of a request that is on its way.
      await this.page.clock.fastForward(READ_INTERVAL_MS);
      await read;
      return undefined;
    });
  }

  /** Opens a page, and waits only until the browser has painted something of it. */
  async openUntilPainted(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`, { waitUntil: 'commit' });
    const isPainted = "performance.getEntriesByName('first-contentful-paint').length > 0";
    // A wait in the page would need `unsafe-eval`.
    await eventually(() => this.page.evaluate<boolean>(isPainted));
  }

  /** Waits until the page shows a text. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
