import type { Visitor } from '../browser/browser';
import { newDemo, SignedIn } from '../browser/signed-in';

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
  await newDemo(signedIn.api);
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

it.each([
  ['/sign-in', 'Sign in', 'stranger'],
  ['/docs', 'Datagrid platform: public API', 'stranger'],
  ['/workspaces', 'Demo', 'another'],
] as const)('prints when the page %s is painted over slow 3G', async (path, text, who) => {
  const visitor = await signedIn[who]();
  const { paintedMs, scriptMs } = await openSlowly(visitor, path, text);
  const [painted, script] = [Math.round(paintedMs), Math.round(scriptMs)].map(String);
  process.stderr.write(`${path}: painted after ${painted} ms, scripts after ${script} ms\n`);
  await visitor.leave();
});
