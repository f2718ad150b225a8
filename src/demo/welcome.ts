import { PUBLIC_API } from '../platform/http/public-api';
import { DEMO_OWNER, type DemoAccess } from './demo.service';

/** What the first start prints: all that a first call takes. */
export function welcome(origin: string, access: DemoAccess): string {
  const { key, password, datagridId, rowCount } = access;
  const baseUrl = `${origin}/${PUBLIC_API}`;
  return `
The service is running, with a demo account and a datagrid of ${String(rowCount)} airports.

Console:  ${origin}
E-mail:   ${DEMO_OWNER}
Password: ${password}
          (of an owner; it is shown this once)

Base URL: ${baseUrl}
API key:  ${key}
          (of the same owner; it is shown this once, too)
API docs: ${origin}/docs

Try it:
curl -H "Authorization: Bearer ${key}" "${baseUrl}/datagrids/${datagridId}/rows?limit=3"

`;
}
