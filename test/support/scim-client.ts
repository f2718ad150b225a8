import { ScimTokenService } from '../../src/auth/scim-token/scim-token.service';
import { ApiClient, type ApiResponse, FileBody, type Json } from './api-client';
import type { Member, TestApp } from './test-app';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Calls SCIM as the directory of a company does, with paths relative to its base path. */
export class ScimClient {
  private readonly api: ApiClient;

  constructor(origin: string, token?: string) {
    this.api = new ApiClient(origin, token, '/scim/v2');
  }

  /** Returns a client with a new token of the account. */
  static async of(app: TestApp, { accountId }: Member): Promise<ScimClient> {
    const tokens = app.nest.get(ScimTokenService);
    return new ScimClient(
      app.origin,
      (await tokens.create(accountId, 'Directory', null, 'operator')).token,
    );
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.api.get(path, headers);
  }

  send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const file = new FileBody('application/scim+json', JSON.stringify(body));
    return this.api.send(method, path, file, headers);
  }

  post(path: string, body: unknown): Promise<ApiResponse> {
    return this.send('POST', path, body);
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('PUT', path, body, headers);
  }

  /** @param operations Each is `[op, path, value]`. */
  patch(
    path: string,
    operations: readonly (readonly [string, string | null, unknown?])[],
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const Operations = operations.map(([op, at, value]) => ({
      op,
      ...(at !== null && { path: at }),
      ...(value !== undefined && { value }),
    }));
    return this.send('PATCH', path, { schemas: [PATCH], Operations }, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.api.delete(path, headers);
  }

  /** Returns the page of a list that matches a filter. */
  async find(path: string, filter: string, more = ''): Promise<Json> {
    const query = `filter=${encodeURIComponent(filter)}${more}`;
    const { body, status, text } = await this.get(`${path}?${query}`);
    if (status !== 200) throw new Error(text);
    return body;
  }

  /** Creates a user with this name, and returns their ID. */
  async newUser(userName: string, more: object = {}): Promise<string> {
    return idOf(await this.post('/Users', { schemas: [USER], userName, ...more }));
  }

  /** Creates a group with these members, and returns its ID. */
  async newGroup(displayName: string, members: readonly string[] = []): Promise<string> {
    const values = members.map((value) => ({ value }));
    return idOf(await this.post('/Groups', { schemas: [GROUP], displayName, members: values }));
  }
}

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

function idOf({ status, body, text }: ApiResponse): string {
  if (status !== 201) throw new Error(text);
  return (body as { readonly id: string }).id;
}

/** Requires the error of SCIM with a status. */
export function expectScimError(response: ApiResponse, status: number, scimType?: string): Json {
  expect({ status: response.status, text: response.text }).toMatchObject({ status });
  expect(response.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  expect(response.body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: expect.any(String) as string,
  });
  return response.body;
}
