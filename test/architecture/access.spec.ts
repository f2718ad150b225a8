import { ACCESS, type Access } from '../../src/platform/http/access';
import { PUBLIC_API } from '../../src/platform/http/public-api';
import type { Route } from '../../src/platform/http/route-table';
import { allRoutes, named } from './unconnected-app';

let routes: Route[];

beforeAll(async () => {
  routes = await allRoutes();
});

const accessOf = ({ handler }: Route): Access | undefined =>
  Reflect.getMetadata(ACCESS, handler) as Access | undefined;

/** Questions too long for a URL. */
const READ_BY_POST = '/query';

describe('every route', () => {
  it('says what it asks of its caller', () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter((route) => accessOf(route) === undefined).map(named)).toEqual([]);
  });

  it('asks for a key, but for these', () => {
    const open = routes.filter((route) => accessOf(route) === 'public');
    expect(open.map(named).sort()).toEqual([
      'ALL /{*path}',
      `GET /${PUBLIC_API}/openapi.json`,
      'GET /health/live',
      'GET /health/ready',
    ]);
  });

  it('that changes something asks for more than reading', () => {
    const changing = routes.filter(
      ({ method, path }) => !['GET', 'ALL'].includes(method) && !path.endsWith(READ_BY_POST),
    );
    const wrong = changing.filter((route) => !accessOf(route)?.endsWith(':write'));
    expect(changing.length).toBeGreaterThan(10);
    expect(wrong.map(named)).toEqual([]);
  });
});
