import { expectFailure } from '../support/failure';
import { newTeam, type Team } from '../support/fixture';
import { rawRequest, sendRaw } from '../support/raw-http';
import { TestApp } from '../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
});

afterAll(() => app.close());

describe('unknown routes', () => {
  it.each([
    '',
    '/',
    '/nothing',
    '/Workspaces',
    '/workspaces/1/2/3',
    '//me',
    '/me/me',
    '/.',
    '/%2e%2e/me',
    '/me%2f',
    '/%zz',
    '/workspaces/%E0%A4%A',
    '/%',
  ])('%j of the API is 401 without a key and 404 with one', async (path) => {
    const line = `GET /api/v1/public${path} HTTP/1.1`;
    const anonymous = await sendRaw(app.port, rawRequest([line, 'Host: localhost']));
    expectFailure(anonymous, 'unauthenticated');
    const key = `Authorization: Bearer ${team.owner.key}`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost', key])), 'not_found');
  });

  it.each([
    '/api',
    '/api/v1',
    '/api/v1/publicity',
    '/api/v2/public/me',
    '/API/v1/public/me',
    '/%zz',
    '/health',
    '/../api/v1/public/me',
  ])('%j elsewhere is 404, with or without a key', async (path) => {
    const line = `GET ${path} HTTP/1.1`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost'])), 'not_found');
    const key = `Authorization: Bearer ${team.owner.key}`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost', key])), 'not_found');
  });
});
