import type { ApiResponse, ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp, type Member } from '../../support/test-app';
import { expectErrorShape } from './errors-shape';

let app: TestApp;
let owner: Member;
let api: ApiClient;
let workspaceId: string;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  api = owner.api;
  workspaceId = await newWorkspace(api);
  const columns = [
    { key: 't', type: 'text' },
    { key: 'j', type: 'json' },
  ];
  grid = await newDatagrid(api, columns, workspaceId);
});

afterAll(() => app.close());

/** Returns all stored resources, which must not change. */
async function stored(): Promise<string> {
  const paths = ['/workspaces', `/workspaces/${workspaceId}/datagrids`, grid, `${grid}/rows`];
  return (await Promise.all(paths.map((path) => api.get(path)))).map(({ text }) => text).join('\n');
}

const codesOf = ({ body }: ApiResponse): string[] =>
  ((body.error.details ?? []) as { code: string }[]).map(({ code }) => code);

describe('a request with hostile text or nesting', () => {
  const nests: readonly [string, string, string][] = [
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['arrays that nobody closes', '[', ''],
    ['objects that nobody closes', '{"a":', ''],
  ];

  it.each(
    nests.flatMap(([what, open, close]) =>
      [5_000, 100_000].map((depth): [string, string] => [
        `${String(depth)} ${what}`,
        open.repeat(depth) + (close === '' ? '' : `1${close.repeat(depth)}`),
      ]),
    ),
  )('returns 400 for nesting of %s', async (_, nest) => {
    const before = await stored();
    const bodies: [string, string, string][] = [
      ['POST', '/workspaces', nest],
      ['POST', '/workspaces', `{"name":${nest}}`],
      ['POST', `/workspaces/${workspaceId}/datagrids`, `{"name":"x","columns":${nest}}`],
      ['PATCH', grid, `{"description":${nest}}`],
      ['PATCH', `${grid}/columns/t`, `{"options":${nest}}`],
      ['POST', `${grid}/rows`, `{"values":{"j":${nest}}}`],
      ['POST', `${grid}/rows`, `{"rows":${nest}}`],
    ];
    for (const [method, path, body] of bodies) {
      expectFailure(await api.send(method, path, body), 'invalid_request', ['body too_deep']);
    }
    expect(await stored()).toBe(before);
  });

  it('is accepted with 64 levels of nesting and rejected with 65', async () => {
    const own = await newDatagrid(api, [{ key: 'j', type: 'json' }]);
    const send = (depth: number): Promise<ApiResponse> =>
      api.post(`${own}/rows`, `{"values":{"j":${'['.repeat(depth)}${']'.repeat(depth)}}}`);
    const taken = dataOf(await send(62), 201);
    expect(JSON.stringify(taken.values.j)).toBe('['.repeat(62) + ']'.repeat(62));
    expectFailure(await send(63), 'invalid_request', ['body too_deep']);
  });

  const escaped: readonly [string, string, string][] = [
    ['NUL, escaped', '\\u0000', 'invalid_text'],
    ['the first half of a pair', '\\ud83d', 'invalid_text'],
    ['the second half of a pair', '\\uDE00', 'invalid_text'],
    ['a pair the wrong way round', '\\ude00\\ud83d', 'invalid_text'],
    ['half a pair before a letter', '\\ud83dx', 'invalid_text'],
  ];
  const raw: readonly [string, number[], string][] = [
    ['NUL itself', [0x00], 'malformed_json'],
    ['a byte that is never UTF-8', [0xff], 'invalid_utf8'],
    ['a lone continuation', [0x80], 'invalid_utf8'],
    ['an overlong slash', [0xc0, 0xaf], 'invalid_utf8'],
    ['an overlong NUL', [0xc0, 0x80], 'invalid_utf8'],
    ['half a pair in UTF-8', [0xed, 0xa0, 0x80], 'invalid_utf8'],
    ['a pair in CESU-8', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], 'invalid_utf8'],
    ['a code point past the last', [0xf4, 0x90, 0x80, 0x80], 'invalid_utf8'],
    ['a character cut short', [0xe2, 0x82], 'invalid_utf8'],
    ['latin-1', [0xe9], 'invalid_utf8'],
  ];
  const texts: readonly [string, Buffer, string][] = [
    ...escaped.map(([what, text, code]): [string, Buffer, string] => [
      what,
      Buffer.from(text),
      code,
    ]),
    ...raw.map(([what, bytes, code]): [string, Buffer, string] => [what, Buffer.from(bytes), code]),
  ];

  it.each(texts)('returns 400 for %s in names, values and keys', async (_, text, code) => {
    const before = await stored();
    const places: [string, string, string][] = [
      ['POST', '/workspaces', '{"name":"a@b"}'],
      ['POST', '/workspaces', '{"name":"x","description":"@"}'],
      ['POST', '/workspaces', '{"name":"x","a@b":1}'],
      ['PATCH', `/workspaces/${workspaceId}`, '{"name":"@"}'],
      ['POST', `/workspaces/${workspaceId}/datagrids`, '{"name":"@"}'],
      [
        'POST',
        `/workspaces/${workspaceId}/datagrids`,
        '{"name":"x","columns":[{"key":"c","type":"select","options":{"choices":["@"]}}]}',
      ],
      ['PATCH', `${grid}/columns/t`, '{"title":"@"}'],
      ['POST', `${grid}/rows`, '{"values":{"t":"a@"}}'],
      ['POST', `${grid}/rows`, '{"values":{"@":1}}'],
      ['POST', `${grid}/rows`, '{"values":{"j":[{"a":"@"}]}}'],
      ['POST', `${grid}/rows`, '{"values":{"j":{"@":1}}}'],
      ['POST', `${grid}/rows`, '{"rows":[{"values":{}},{"values":{"t":"@"}}]}'],
    ];
    for (const [method, path, template] of places) {
      const [head = '', tail = ''] = template.split('@');
      const body = Buffer.concat([Buffer.from(head), text, Buffer.from(tail)]);
      const response = await api.send(method, path, body);
      expect(expectErrorShape(response)).toBe('invalid_request');
      expect(codesOf(response)).toEqual([code]);
    }
    expect(await stored()).toBe(before);
  });

  it('is accepted with surrogate pairs, raw and escaped', async () => {
    const own = await newDatagrid(api, [{ key: 't', type: 'text' }]);
    const row = await api.post(`${own}/rows`, '{"values":{"t":"\\ud83d\\ude00 😀 \\\\u0000"}}');
    expect(dataOf(row, 201).values.t).toBe('😀 😀 \\u0000');
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeff{"name":"x"}', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('{"name":"x"}', 'utf16le')],
    ['UTF-32', Buffer.from('{\0\0\0}\0\0\0')],
  ])('returns 400 for a body in %s', async (_, body) => {
    expectFailure(await api.post('/workspaces', body), 'invalid_request', [
      `body ${body[0] === 0xff ? 'invalid_utf8' : 'malformed_json'}`,
    ]);
  });

  it.each(['%00', '%ff', '%c0%af', '%ed%a0%80', '%f0%9f%98%80', 'a%00b', '%0d%0a', '..%2f..%2fme'])(
    'returns 404 for %s in a path',
    async (text) => {
      const paths = [
        `/workspaces/${text}`,
        `/datagrids/${text}/rows`,
        `${grid}/rows/${text}`,
        `${grid}/columns/${text}`,
        `/${text}`,
      ];
      for (const path of paths) expectFailure(await api.get(path), 'not_found');
      expectFailure(await api.patch(`${grid}/columns/${text}`, { title: 'x' }), 'not_found');
    },
  );

  it.each(['%00', '%ff', '%ed%a0%80', '%', '%zz', '%e2%82'])(
    'returns 400 for %s in a parameter',
    async (text) => {
      for (const query of [`page=${text}`, `limit=1${text}`, `${text}=1`, `page=1&${text}`]) {
        const response = await api.get(`/workspaces?${query}`);
        expect([query, expectErrorShape(response)]).toEqual([query, 'invalid_request']);
      }
    },
  );

  it.each(['caf%E9', '%ed%a0%80', '100%', '%zz'])(
    'returns 400 for %s in a filter, and does not compare replacement characters',
    async (text) => {
      const response = await api.get(`${grid}/rows?limit=1&filter={"t":"${text}"}`);
      expectFailure(response, 'invalid_request', ['filter invalid_format']);
    },
  );

  it('causes no server error with bytes beyond ASCII in the request line and headers', async () => {
    const head = (target: string, header: string): Buffer =>
      Buffer.from(
        rawRequest([
          `GET /api/v1/public/${target} HTTP/1.1`,
          'Host: x',
          `Authorization: Bearer ${owner.key}`,
          header,
        ]),
        'latin1',
      );
    const statuses: number[] = [];
    for (const [target, header] of [
      ['workspaces/\xff\xc3', 'A: b'],
      ['workspaces?page=\xff', 'A: b'],
      ['workspaces', 'If-None-Match: "\xff\xfe"'],
      ['workspaces', 'Accept: \xff'],
    ] as const) {
      statuses.push((await sendRaw(app.port, head(target, header))).status);
    }
    expect(statuses).toEqual([400, 400, 200, 200]);
  });
});
