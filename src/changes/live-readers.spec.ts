import type { CallerService } from '../auth/caller.service';
import type { Caller } from '../common/caller/app-request';
import { AppError } from '../common/error/app-error';
import type { AppConfig } from '../platform/config/app-config';
import type { Metrics } from '../platform/metrics/metrics';
import { StreamWatch } from '../rows/stream/stream-watch';
import { type LiveReader, LiveReaders } from './live-readers';

const client = { end: () => undefined };

function startReaders(): LiveReaders {
  const config = { maxLiveReaders: 4, maxConcurrentExports: 1 } as AppConfig;
  const callers = { onChange: () => undefined } as unknown as CallerService;
  const watch = new StreamWatch(callers, null as never);
  return new LiveReaders(config, watch, { gauge: () => undefined } as unknown as Metrics);
}

/** Starts readers until one is rejected. */
function startAll(start: () => LiveReader): { readonly readers: LiveReader[]; error: AppError } {
  const readers: LiveReader[] = [];
  for (;;) {
    try {
      readers.push(start());
    } catch (error) {
      return { readers, error: error as AppError };
    }
  }
}

describe.each(['start', 'startStream'] as const)('LiveReaders.%s', (method) => {
  const starter = (readers: LiveReaders, accountId: string) => (): LiveReader =>
    readers[method]({ accountId, keyId: 'key' } as Caller, 'rows:read', client);

  it('starts half of the readers for one account, and then rejects with rate_limited', () => {
    const all = startReaders();
    const { readers, error } = startAll(starter(all, 'a'));
    expect([readers.length, error.code]).toEqual([2, 'rate_limited']);
    readers[0]?.release();
    expect(startAll(starter(all, 'a')).readers).toHaveLength(1);
  });

  it('rejects with unavailable if all accounts together have too many', () => {
    const all = startReaders();
    for (const account of ['a', 'b']) startAll(starter(all, account));
    expect(startAll(starter(all, 'c'))).toMatchObject({
      readers: [],
      error: { code: 'unavailable' },
    });
  });
});

it('LiveReaders counts clients that wait and streams of lines apart', () => {
  const all = startReaders();
  const caller = { accountId: 'a', keyId: 'key' } as Caller;
  startAll(() => all.start(caller, 'rows:read', client));
  expect(startAll(() => all.startStream(caller, 'rows:read', client)).readers).toHaveLength(2);
});
