import { Placeholders } from './placeholders';
import { play } from './play';
import { Shell } from './shell';
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
  it('has blocks for a shell, with responses or without', () => {
    const setUp = 'BASE=http://localhost\napi() { curl "$@"; }\napi $BASE -d x';
    const text = [
      fence('sh', setUp),
      fence('sh', 'ID=1'),
      fence('sh', 'api $BASE/a'),
      OK,
      'Repeat this until the response is the one below:\n\n',
      fence('sh', 'api $BASE/b'),
      OK,
    ].join('');
    const response = { statusLine: 'HTTP/1.1 200 OK', headers: {}, body: undefined };
    expect(storyOf(text).blocks).toEqual([
      { line: 1, script: setUp },
      { line: 6, script: 'ID=1' },
      { line: 9, script: 'api $BASE/a', isRepeated: false, response },
      { line: 17, script: 'api $BASE/b', isRepeated: true, response },
    ]);
  });

  it('reads a response: status, headers and body', () => {
    const response = 'HTTP/1.1 200 OK\nETag: "1"\n\n{\n\n  "data": []\n}';
    const [example] = storyOf(fence('sh', 'curl x') + fence('http', response)).blocks;
    expect(example).toMatchObject({
      response: {
        statusLine: 'HTTP/1.1 200 OK',
        headers: { ETag: '"1"' },
        body: { data: [] },
      },
    });
  });

  it('reads a request of the service apart from the calls', () => {
    const delivery = fence('http', 'POST /hook HTTP/1.1\nwebhook-id: msg_1\n\n{ "type": "a" }');
    const { blocks, deliveries } = storyOf(fence('sh', 'curl x') + OK + delivery);
    expect(blocks).toHaveLength(1);
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
    ['with a call after a variable and no response', fence('sh', 'ID=1\napi x')],
  ])('rejects a block %s', (_, text) => {
    expect(() => storyOf(text)).toThrow();
  });
});

describe('the shell of a reader', () => {
  let shell: Shell;

  beforeEach(() => {
    shell = Shell.start({ KEY: 'mk_1' });
  });

  afterEach(() => shell.end());

  it('keeps variables and functions from block to block, and returns the output of each', async () => {
    expect(await shell.run('A=Zürich\nf() { echo "$1 $A $KEY"; }')).toBe('');
    expect(await shell.run("f 'a b' \\\n  c")).toBe('a b Zürich mk_1\n');
    expect(await shell.run('printf x')).toBe('x');
  });

  it.each(['echo $NOTHING', 'no-such-program', 'exit 1', 'echo bad >&2'])(
    'rejects the block %s',
    async (block) => {
      await expect(shell.run(block)).rejects.toThrow(`The shell rejects ${block}`);
    },
  );

  it('shows a response of curl as the document should, with its placeholders', async () => {
    const printed = String.raw`printf 'HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Type: application/json\r\n\r\n{"data":{"id":"${ONE}","a":1}}\n'`;
    const body = { data: { id: ID, a: 2 } };
    const response = { statusLine: 'HTTP/1.1 200 OK', headers: { ETag: '"1"' }, body };
    const example = { line: 1, script: printed, isRepeated: false, response };
    const placeholders = new Placeholders({});
    expect(await play(example, shell, placeholders)).toEqual({
      ...response,
      body: { data: { id: ID, a: 1 } },
    });
    expect(placeholders.toActual(`/rows/${ID}`)).toBe(`/rows/${ONE}`);
  });

  it('shows a response without a body', async () => {
    const script = String.raw`printf 'HTTP/1.1 204 No Content\r\n\r\n'`;
    const response = { statusLine: 'HTTP/1.1 204 No Content', headers: {}, body: undefined };
    const example = { line: 1, script, isRepeated: false, response };
    expect(await play(example, shell, new Placeholders({}))).toEqual(response);
  });
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
    const link = (id: string): string => `</datagrids/${id}/rows>; rel="next"`;
    expect(placeholders.header('Link', link(ID), link(ONE))).toBe(link(ID));
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
