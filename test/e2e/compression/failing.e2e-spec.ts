import { request } from 'node:http';
import { COMPRESSORS } from '../../../src/platform/http/compress';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';
import { accepting, fetchCoded } from './coded';
import { largeDatagrid } from './large';

const compress = jest.spyOn(COMPRESSORS as Required<typeof COMPRESSORS>, 'gzip');

let app: TestApp;
let owner: Member;
let page: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  page = `${await largeDatagrid(owner)}/rows?limit=200`;
});

afterAll(() => app.close());

const errorsLogged = (): string[] => app.logs.filter((line) => line.includes('"level":"error"'));

it('returns 500 in the error format if a response cannot be compressed', async () => {
  compress.mockRejectedValueOnce(new Error('no memory in zlib'));
  const response = await owner.api.get(page, accepting('gzip'));
  expectFailure(response, 'internal');
  for (const name of ['etag', 'content-encoding']) expect(response.headers.get(name)).toBeNull();
  expect(errorsLogged()).toEqual([expect.stringContaining('no memory in zlib')]);
  expect((await fetchCoded(app, owner, page, accepting('gzip'))).status).toBe(200);
});

it('logs no error if a client disconnects during compression', async () => {
  const before = errorsLogged();
  let goOn = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    compress.mockImplementationOnce(async () => {
      resolve();
      await new Promise<void>((release) => (goOn = release));
      return Buffer.alloc(1_000_000);
    });
  });
  const sent = request(`${app.origin}${API}${page}`, {
    headers: { authorization: `Bearer ${owner.key}`, ...accepting('gzip') },
  });
  sent.on('error', () => undefined).end();
  await begun;
  sent.destroy();
  await eventually(() => app.logs.some((line) => line.includes('"aborted":true')));
  goOn();
  expect((await fetchCoded(app, owner, page, accepting('gzip'))).status).toBe(200);
  expect(errorsLogged()).toEqual(before);
});
