import { DESKTOP, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// Starts a service, a database and a browser. Scripts take seconds to arrive.
jest.setTimeout(180_000);

/** Slow 3G of WebPageTest: 400 kbit/s in both directions, and 400 ms from request to response. */
const SLOW_3G = {
  offline: false,
  latency: 400,
  downloadThroughput: 50_000,
  uploadThroughput: 50_000,
};

/** Runs in the page: returns when it was first painted, and when its first script had arrived. */
const TIMES = `({
  paintedMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  scriptMs: performance
    .getEntriesByType('resource')
    .filter(({ initiatorType }) => initiatorType === 'script')
    .map(({ responseEnd }) => responseEnd)
    .at(-1),
})`;

interface Times {
  readonly paintedMs: number;
  readonly scriptMs: number;
}

let signedIn: SignedIn;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
});

afterAll(() => signedIn.leave());

/** Opens a page with an empty cache over a slow network, and waits for a text. */
async function openSlowly(visitor: Visitor, path: string, text: string): Promise<Times> {
  const network = await visitor.context.newCDPSession(visitor.page);
  await network.send('Network.enable');
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  await network.send('Network.emulateNetworkConditions', SLOW_3G);
  visitor.page.setDefaultTimeout(90_000);
  await visitor.open(path);
  await visitor.sees(text);
  return visitor.page.evaluate<Times>(TIMES);
}

describe('over slow 3G', () => {
  it.each([
    ['/sign-in', 'Sign in'],
    ['/docs', 'Datagrid platform: public API'],
  ])('the page %s is painted before its scripts have arrived', async (path, text) => {
    const visitor = await signedIn.stranger({ view: DESKTOP });
    const { paintedMs, scriptMs } = await openSlowly(visitor, path, text);
    process.stdout.write(`${path}: painted after ${String(Math.round(paintedMs))} ms\n`);
    expect(paintedMs).toBeLessThan(scriptMs);
    await visitor.leave();
  });

  it('the list of workspaces is painted before its scripts have arrived', async () => {
    const visitor = await signedIn.another();
    const { paintedMs, scriptMs } = await openSlowly(visitor, '/workspaces', 'Demo');
    process.stdout.write(`/workspaces: painted after ${String(Math.round(paintedMs))} ms\n`);
    expect(paintedMs).toBeLessThan(scriptMs);
    await visitor.leave();
  });
});
