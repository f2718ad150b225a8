import { PUBLIC_API } from '../platform/http/public-api';
import { DEMO_OWNER, type DemoAccess } from './demo.service';

/** What the first start prints: all that a first call takes. */
export function welcome(origin: string, { key, datagridId, rowCount }: DemoAccess): string {
  const baseUrl = `${origin}/${PUBLIC_API}`;
  return `
The service is running, with a demo account and a datagrid of ${String(rowCount)} airports.

Base URL: ${baseUrl}
API key:  ${key}
          (of ${DEMO_OWNER}, an owner; it is shown this once)
API docs: ${origin}/docs

Try it:
curl -H "Authorization: Bearer ${key}" "${baseUrl}/datagrids/${datagridId}/rows?limit=3"

`;
}
