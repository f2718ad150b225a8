import {
  type BufferedRequests,
  identified,
  type KeyRequest,
  RequestBuffer,
} from './request-buffer';

const LIMITS = { account: 4, total: 8, reserved: 2 };

let clockMs = Date.UTC(2026, 10, 21, 12);

function request(accountId: string, keyId = `key of ${accountId}`): KeyRequest {
  clockMs += 1;
  return {
    atMs: clockMs,
    caller: { accountId, userId: `user of ${accountId}`, keyId },
    method: 'GET',
    route: '/api/v1/public/me',
    status: 200,
    durationMs: 1,
    requestId: 'r',
    errorCode: null,
    aborted: false,
  };
}

function fill(buffer: RequestBuffer, accountId: string, count: number, keyId?: string): void {
  for (let each = 0; each < count; each += 1) buffer.add(request(accountId, keyId));
}

/** Returns the numbers of requests and of left out requests by account. */
function countsOf({ requests, gaps }: BufferedRequests): Record<string, number[]> {
  const ids = [...requests, ...gaps].map(({ caller }) => caller.accountId);
  return Object.fromEntries(
    [...new Set(ids)].map((id) => {
      const leftOut = gaps.filter(({ caller }) => caller.accountId === id);
      return [
        id,
        [
          requests.filter(({ caller }) => caller.accountId === id).length,
          leftOut.reduce((sum, gap) => sum + gap.leftOut, 0),
        ],
      ];
    }),
  );
}

describe('RequestBuffer', () => {
  it('keeps requests with ids that sort by time, and forgets them when they are taken', () => {
    const buffer = new RequestBuffer(LIMITS);
    const sent = [request('a'), request('b'), request('a')];
    for (const each of sent) buffer.add(each);
    const { requests, gaps } = buffer.take();
    const byId = identified(requests).sort((one, other) => (one.id < other.id ? -1 : 1));
    expect(byId.map(({ atMs }) => atMs)).toEqual(sent.map(({ atMs }) => atMs));
    expect(gaps).toEqual([]);
    expect(buffer.take()).toEqual({ requests: [], gaps: [] });
  });

  it('counts requests beyond the limit of an account by key, with the time of the first one', () => {
    const buffer = new RequestBuffer(LIMITS);
    fill(buffer, 'a', 4);
    const sinceMs = clockMs + 1;
    fill(buffer, 'a', 2);
    fill(buffer, 'a', 1, 'another key');
    const { requests, gaps } = buffer.take();
    expect(requests).toHaveLength(4);
    expect(gaps.map(({ caller, ...gap }) => [caller.keyId, gap])).toEqual([
      ['key of a', { sinceMs, leftOut: 2 }],
      ['another key', { sinceMs: sinceMs + 2, leftOut: 1 }],
    ]);
    fill(buffer, 'a', 4);
    expect(countsOf(buffer.take())).toEqual({ a: [4, 0] });
  });

  it('counts a request that does not exist yet only if it has no room for it', () => {
    const buffer = new RequestBuffer(LIMITS);
    fill(buffer, 'a', 3);
    const { caller } = request('a');
    expect(buffer.countIfFull(caller, clockMs)).toBe(false);
    fill(buffer, 'a', 1);
    expect([buffer.countIfFull(caller, clockMs + 9), buffer.countIfFull(caller, clockMs)]).toEqual([
      true,
      true,
    ]);
    const { requests, gaps } = buffer.take();
    expect(requests).toHaveLength(4);
    expect(gaps).toEqual([{ caller, sinceMs: clockMs, leftOut: 2 }]);
  });

  it('still has room for accounts with few requests if it is half full', () => {
    const buffer = new RequestBuffer(LIMITS);
    fill(buffer, 'a', 4);
    fill(buffer, 'b', 4);
    fill(buffer, 'c', 4);
    fill(buffer, 'd', 1);
    expect(countsOf(buffer.take())).toEqual({ a: [4, 0], b: [2, 2], c: [2, 2], d: [0, 1] });
  });

  it('keeps ids and counts of what could not be written, and counts what has no room', () => {
    const buffer = new RequestBuffer(LIMITS);
    fill(buffer, 'a', 5);
    const { requests, gaps } = buffer.take();
    const failed = identified(requests);
    fill(buffer, 'a', 1);
    buffer.giveBack({ requests: failed, gaps });
    const again = buffer.take();
    expect(countsOf(again)).toEqual({ a: [4, 2] });
    expect(identified(again.requests).slice(1)).toEqual(failed.slice(0, 3));
  });
});
