import { createClient } from '@datagrid/client';
import { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { callMessage, sendMessage } from '../support/mcp-client';
import { Collector, type ReceivedSpan } from '../support/otlp';
import { TestApp, type Member } from '../support/test-app';
import { ServiceProcess } from './service-process';

// The service takes its time to start.
jest.setTimeout(120_000);

const SERVER = 2;
const CLIENT = 3;
const ROWS = '/api/v1/public/datagrids/:datagridId/rows';

let collector: Collector;
let app: TestApp;
let owner: Member;

beforeAll(async () => {
  [collector, app] = await Promise.all([Collector.start(), TestApp.shared()]);
  owner = await app.newAccount();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  collector.close();
  await app.close();
});

const start = (settings: Record<string, string>): Promise<ServiceProcess> =>
  ServiceProcess.ready({ DATABASE_URL: app.database.url, ...settings });

const requestSpans = (): ReceivedSpan[] => collector.spans.filter(({ kind }) => kind === SERVER);

const childrenOf = ({ spanId }: ReceivedSpan): ReceivedSpan[] =>
  collector.spans.filter(({ parentId }) => parentId === spanId);

describe('traces', () => {
  it('contain the names of requests and statements, and no content', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const api = new ApiClient(await service.origin(), owner.key);
    const grid = await newDatagrid(api, [{ key: 'a', type: 'text', indexed: true }]);
    dataOf(await api.post(`${grid}/rows`, { values: { a: 'hush-quirk' } }), 201);
    const query = `?filter=${encodeURIComponent('{"a":"hush-quirk"}')}`;
    dataOf(await api.get(`${grid}/rows`), 200);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const parent = '00f067aa0ba902b7';
    const traceparent = `00-${traceId}-${parent}-01`;
    const read = await api.get(`${grid}/rows${query}`, { traceparent });
    expect(dataOf(read, 200)).toHaveLength(1);
    await fetch(`${await service.origin()}/health/live`);
    expect((await api.get('/nowhere')).status).toBe(404);

    const span = await eventually(() => requestSpans().find((each) => each.traceId === traceId));
    expect(span).toMatchObject({
      name: `GET ${ROWS}`,
      parentId: parent,
      status: 0,
      attributes: {
        'http.request.method': 'GET',
        'http.route': ROWS,
        'http.response.status_code': 200,
        'datagrid.request_id': read.headers.get('x-request-id'),
      },
    });
    expect(Object.keys(span.attributes)).toHaveLength(4);
    const children = await eventually(() => {
      const found = childrenOf(span);
      return found.some(({ name }) => name === 'filtered-read') && found;
    });
    for (const { kind, name, traceId: id, attributes } of children) {
      expect([kind, id]).toEqual([CLIENT, traceId]);
      expect(attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': name });
    }
    const made = await eventually(() =>
      requestSpans().find(({ name, attributes }) => {
        return name === `POST ${ROWS}` && attributes['http.response.status_code'] === 201;
      }),
    );
    await eventually(() => childrenOf(made).some(({ name }) => name.startsWith('row-create')));
    await eventually(() =>
      requestSpans()
        .filter(({ name }) => name === `GET ${ROWS}`)
        .some((each) => childrenOf(each).some(({ name }) => name.startsWith('row-page'))),
    );
    await eventually(() =>
      requestSpans().some(({ attributes }) => attributes['http.response.status_code'] === 404),
    );
    expect(new Set(collector.services)).toEqual(new Set(['datagrid-platform']));
    expect(collector.raw).toContain(ROWS);
    // None of these can occur in the identifiers by chance.
    for (const secret of [
      'hush',
      'quirk',
      owner.key,
      grid.split('/')[2] ?? '',
      'nowhere',
      'SELECT',
    ]) {
      expect(collector.raw).not.toContain(secret);
    }
    expect(requestSpans().some(({ name }) => name.includes('health'))).toBe(false);
    expect(await service.stop()).toBe(0);
  });

  it('continue spans of the client, and contain the request of a tool call below its message', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const origin = await service.origin();
    const traceId = '5bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-10f067aa0ba902b7-01`;
    const client = createClient({
      baseUrl: origin,
      apiKey: owner.key,
      traceparent: () => traceparent,
    });
    await client.me();
    const spanOf = (name: string): Promise<ReceivedSpan> =>
      eventually(() =>
        requestSpans().find((each) => each.traceId === traceId && each.name === name),
      );
    expect((await spanOf('GET /api/v1/public/me')).parentId).toBe('10f067aa0ba902b7');
    const call = callMessage('list_workspaces');
    expect((await sendMessage(origin, owner.key, call, { traceparent })).status).toBe(200);
    const message = await spanOf('POST /mcp');
    expect(message.parentId).toBe('10f067aa0ba902b7');
    expect((await spanOf('GET /api/v1/public/workspaces')).parentId).toBe(message.spanId);
    expect(await service.stop()).toBe(0);
  });

  it('are all sent before the service stops', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_SERVICE_NAME: 'another-name',
    });
    const before = requestSpans().length;
    const api = new ApiClient(await service.origin(), owner.key);
    const { headers } = await api.get('/me');
    expect(requestSpans()).toHaveLength(before);
    expect(await service.stop()).toBe(0);
    const [span] = requestSpans().slice(before);
    expect(span?.attributes['datagrid.request_id']).toBe(headers.get('x-request-id'));
    expect(collector.services.at(-1)).toBe('another-name');
  });

  it('do not affect requests if the collector is unavailable, and delay the stop only briefly', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      SHUTDOWN_GRACE_SECONDS: '2',
    });
    const api = new ApiClient(await service.origin(), owner.key);
    for (let each = 0; each < 20; each += 1) expect((await api.get('/me')).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.stderr()).toBe('');
  });
});
