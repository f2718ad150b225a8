import { checkedBody, checkedChunk, SOME_ROWS } from './snowflake-response';

const QUERY = '/queries/v1/query-request';
const LOGIN = '/session/v1/login-request';
const LIMIT = { columns: 2, rows: 3, bytes: 1_000 };

const body = (data: object, more: object = {}): string =>
  JSON.stringify({ success: true, data, ...more });

describe('the response of a Snowflake host', () => {
  it('leaves out what the driver does not need', () => {
    const checked = checkedBody(
      QUERY,
      body({
        queryId: '01b-2',
        rowtype: [{ name: 'A', type: 'timestamp_tz' }],
        rowset: [['1'], [null]],
        parameters: [{ name: 'CLIENT_SESSION_KEEP_ALIVE', value: true }],
        command: 'UPLOAD',
        src_locations: ['/etc/passwd'],
        stageInfo: { locationType: 'LOCAL_FS', location: '/tmp' },
        getResultUrl: 'https://other.example/',
        resultIds: '1,2',
      }),
      LIMIT,
    );
    expect(checked).toEqual({
      success: true,
      code: null,
      message: null,
      data: {
        queryId: '01b-2',
        rowtype: [{ name: '0', type: 'text', nullable: true, scale: null, precision: null }],
        rowset: [['1'], [null]],
        total: 2,
        returned: 2,
        parameters: [],
        version: 1,
      },
    });
  });

  it('says where the result of a statement is that still runs', () => {
    const data = { queryId: '01b-2', getResultUrl: '/queries/01b-2/result' };
    const running = body(data, { code: '333334' });
    expect(checkedBody(QUERY, running, LIMIT)).toMatchObject({ code: '333334', data });
  });

  it('has the tokens of a session, and no parameters', () => {
    const data = { token: 'a', masterToken: 'b', validityInSeconds: 3600, sessionId: 7 };
    const text = body({ ...data, parameters: [{ name: 'A', value: 1 }], idToken: 'c' });
    expect(checkedBody(LOGIN, text, SOME_ROWS)).toMatchObject({
      success: true,
      data: { ...data, parameters: [] },
    });
    expect(JSON.stringify(checkedBody(LOGIN, text, SOME_ROWS))).not.toContain('idToken');
  });

  it('has the parts of a large result, and the keys to them', () => {
    const chunks = [{ url: 'https://bucket.example/1', rowCount: 2, more: 1 }];
    const data = { rowtype: [{}], rowset: [['1']], chunks, chunkHeaders: { a: 'b', c: 1 } };
    expect(checkedBody(QUERY, body(data), LIMIT)).toMatchObject({
      data: {
        total: 3,
        chunks: [{ url: 'https://bucket.example/1', rowCount: 2 }],
        chunkHeaders: { a: 'b' },
      },
    });
    expect(checkedChunk('["1"],["2"]', LIMIT)).toBe('["1"],["2"]');
  });

  it.each([
    ['no JSON', '<html>'],
    ['no object', '[]'],
    ['no success', '{}'],
    ['a row that is none', body({ rowtype: [{}], rowset: [1] })],
    ['a value that is no text', body({ rowtype: [{}], rowset: [[{}]] })],
    ['a part without an address', body({ rowtype: [{}], rowset: [], chunks: [{}] })],
  ])('is rejected with %s', (_, text) => {
    expect(() => checkedBody(QUERY, text, LIMIT)).toThrow(
      'The host did not respond as Snowflake does (status 200).',
    );
  });

  it.each([
    ['too many columns', body({ rowtype: [{}, {}, {}], rowset: [] })],
    ['too many values', body({ rowtype: [{}], rowset: [['1', '2', '3']] })],
    ['too many rows', body({ rowtype: [{}], rowset: [['1'], ['2'], ['3'], ['4']] })],
    [
      'parts with too many rows',
      body({ rowtype: [{}], rowset: [], chunks: [{ url: 'https://a.example', rowCount: 4 }] }),
    ],
  ])('is rejected with %s', (_, text) => {
    expect(() => checkedBody(QUERY, text, LIMIT)).toThrow('The response is too large.');
  });
});
