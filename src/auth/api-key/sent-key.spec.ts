import type { IncomingMessage } from 'node:http';
import { createApiKeyToken, hashApiKeyToken } from './api-key-token';
import { sentKeyHash } from './sent-key';

const KEY = createApiKeyToken();
const OTHER = createApiKeyToken();

/** Hashes found in successive requests of one connection that send these headers. */
function hashesOf(...sent: readonly (readonly string[])[]): (string | null)[] {
  const socket = {};
  return sent.map((values) => {
    const rawHeaders = ['Host', 'a', ...values.flatMap((value) => ['Authorization', value])];
    // Node.js keeps the first one.
    const headers = values[0] === undefined ? {} : { authorization: values[0] };
    return sentKeyHash({ socket, headers, rawHeaders } as unknown as IncomingMessage);
  });
}

const hashOf = (token: string): string => hashApiKeyToken(token).toString('hex');

describe('the key of a request', () => {
  it('is its own, whatever the connection has sent before', () => {
    const sent = [[`Bearer ${KEY}`], [`Bearer ${OTHER}`], [`Bearer ${KEY}`], [`bearer ${KEY}`]];
    expect(hashesOf(...sent)).toEqual([hashOf(KEY), hashOf(OTHER), hashOf(KEY), hashOf(KEY)]);
  });

  it('is none where none is sent, or two are, also on a connection that has sent it', () => {
    const none = [[], [`Bearer ${KEY}`, `Bearer ${KEY}`], [`Bearer ${KEY} `], [`Bearer ${KEY}x`]];
    const sent = none.flatMap((each) => [[`Bearer ${KEY}`], each]);
    expect(hashesOf(...sent)).toEqual(none.flatMap(() => [hashOf(KEY), null]));
  });

  it('is none where its checksum is wrong, each time', () => {
    const mistyped = KEY.slice(0, -1) + (KEY.endsWith('A') ? 'B' : 'A');
    expect(hashesOf([`Bearer ${mistyped}`], [`Bearer ${mistyped}`])).toEqual([null, null]);
  });
});
