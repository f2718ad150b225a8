import { curlRequest } from './curl';
import { Placeholders } from './placeholders';
import { requestOf } from './play';
import { storyOf } from './story';

const fence = (language: string, text: string): string =>
  ['```' + language, text, '```', ''].join('\n');
const OK = fence('http', 'HTTP/1.1 200 OK');
const ID = '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11';
const [ONE, OTHER] = [
  '01a1fc2e-3a5a-7448-814a-a7def7df9faa',
  '01a1fc2e-3ae0-773e-a80e-4be31b0b65d6',
];

describe('a document whose examples are executed', () => {
  it('gives each call as a shell reads it, with what was set before', () => {
    const text = [
      fence('sh', `KEY=mk_…\napi() { curl -isS -H "Authorization: Bearer $KEY" "$@"; }`),
      fence('sh', `api 'http://localhost/a b' \\\n  -d '{ "name": "Zürich $KEY" }'`),
      OK,
    ].join('text\n');
    const { examples, preparations, blockCount } = storyOf(text);
    expect([examples.length, preparations.length, blockCount]).toEqual([1, 1, 3]);
    const [example = { line: 0, before: '', script: '' }] = examples;
    expect(requestOf(example, new Placeholders({ 'mk_…': 'mk_real' }))).toEqual({
      method: 'POST',
      url: 'http://localhost/a b',
      headers: { Authorization: 'Bearer mk_real' },
      body: '{ "name": "Zürich $KEY" }',
    });
  });

  it('reads a response: status, headers and body', () => {
    const response = 'HTTP/1.1 200 OK\nETag: "1"\n\n{\n\n  "data": []\n}';
    const [example] = storyOf(fence('sh', 'curl x') + fence('http', response)).examples;
    expect(example?.response).toEqual({
      statusLine: 'HTTP/1.1 200 OK',
      headers: { ETag: '"1"' },
      body: { data: [] },
    });
  });

  it('reads a request of the service apart from the calls', () => {
    const delivery = fence('http', 'POST /hook HTTP/1.1\nwebhook-id: msg_1\n\n{ "type": "a" }');
    const { examples, deliveries } = storyOf(fence('sh', 'curl x') + OK + delivery);
    expect(examples).toHaveLength(1);
    expect(deliveries).toEqual([
      {
        requestLine: 'POST /hook HTTP/1.1',
        headers: { 'webhook-id': 'msg_1' },
        body: { type: 'a' },
      },
    ]);
  });

  it.each<[string, string]>([
    ['of another language', fence('json', '{}')],
    ['of no language', fence('', 'GET /rows')],
    ['that is indented', `- item\n  ${fence('sh', 'curl x')}${OK}`],
    ['that does not end', '```sh\ncurl x\n'],
    ['with a response to nothing', OK],
    ['with a second response', fence('sh', 'curl x') + OK + OK],
    ['with a call and no response', fence('sh', 'curl x')],
    ['that calls another program', fence('sh', 'jq .')],
    ['with a variable that is not set', fence('sh', 'ID=$NOTHING')],
  ])('rejects a block %s', (_, text) => {
    expect(() => storyOf(text)).toThrow();
  });

  it.each(['true', 'curl a; curl b'])('rejects %s as one call', (script) => {
    const block = { line: 1, before: '', script };
    expect(() => requestOf(block, new Placeholders({}))).toThrow('Not one call');
  });

  it.each<[string, string[], object]>([
    ['-X', ['-X', 'DELETE', 'u'], { method: 'DELETE', url: 'u' }],
    ['-I', ['-I', 'u'], { method: 'HEAD', url: 'u' }],
    [
      '-G',
      ['-G', 'u', '--data-urlencode', 'f={ "a": 1 }', '-d', 's=-a'],
      {
        method: 'GET',
        url: 'u?f=%7B%20%22a%22%3A%201%20%7D&s=-a',
      },
    ],
  ])('takes %s as curl does', (_, args, request) => {
    expect(curlRequest(args)).toMatchObject(request);
  });

  it.each([['--json', '{}', 'u'], ['u', 'v'], ['u?filter={}'], ['-H', 'nothing', 'u']])(
    'rejects %s %s',
    (...args) => {
      expect(() => curlRequest(args)).toThrow();
    },
  );
});

describe('placeholders', () => {
  const seen = (placeholders: Placeholders, shown: unknown, actual: unknown): unknown =>
    placeholders.body(shown, actual, ONE);

  it('let an id stand for the one that is there, and then for no other', () => {
    const placeholders = new Placeholders({});
    expect(seen(placeholders, { id: ID }, { id: ONE })).toEqual({ id: ID });
    expect(placeholders.toActual(`/workspaces/${ID}`)).toBe(`/workspaces/${ONE}`);
    expect(seen(placeholders, [ID], [OTHER])).toEqual([OTHER]);
    expect(seen(placeholders, [OTHER], [ONE])).toEqual([ID]);
  });

  it('let a time stand for any, where times are, and in their form', () => {
    const [shown, actual] = ['2026-11-21T09:30:00.000Z', '2027-01-02T03:04:05.678Z'];
    const placeholders = new Placeholders({});
    expect(seen(placeholders, { createdAt: shown }, { createdAt: actual })).toEqual({
      createdAt: shown,
    });
    for (const [is, other] of [
      [{ createdAt: '2027-01-02T03:04:05Z' }, { createdAt: shown }],
      [{ values: { due: actual } }, { values: { due: shown } }],
    ]) {
      expect(seen(placeholders, other, is)).toEqual(is);
    }
  });

  it("let a request id stand for the response's own alone", () => {
    const placeholders = new Placeholders({});
    const shown = { requestId: '5e0c6a1b-0d2f-4c39-8a55-3f3a1c1b7a10' };
    expect(seen(placeholders, shown, { requestId: ONE })).toEqual(shown);
    expect(seen(placeholders, shown, { requestId: OTHER })).toEqual({ requestId: OTHER });
  });

  it('let headers stand for what is in them', () => {
    const placeholders = new Placeholders({});
    const limit = '"default";r=598;t=42';
    expect(placeholders.header('RateLimit', limit, '"default";r=1;t=2')).toBe(limit);
    expect(placeholders.header('RateLimit', limit, 'r=1')).toBe('r=1');
    expect(placeholders.header('ETag', '"4-1"', '"x"')).toBe('"4-1"');
    expect(placeholders.header('ETag', '"4-1"', '"y"')).toBe('"y"');
    expect(placeholders.header('ETag', '"4-1"', null)).toBeNull();
    expect(placeholders.header('Idempotent-Replayed', 'true', 'false')).toBe('false');
  });

  it.each<[unknown, unknown]>([
    [{ rowCount: 1 }, { rowCount: 2 }],
    [{ name: 'a' }, { name: 'b' }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [[1, 2], [1]],
    [[], {}],
    [{ expiresAt: '2026-11-21T09:30:00.000Z' }, { expiresAt: null }],
    [{ expiresAt: null }, { expiresAt: '2026-11-21T09:30:00.000Z' }],
  ])('let nothing else differ: %j is not %j', (shown, actual) => {
    expect(seen(new Placeholders({}), shown, actual)).toEqual(actual);
  });
});
