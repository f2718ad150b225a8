import { httpRequest } from './http-request';

/** A value of a JSON response. Tests assert its shape. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if there is none. */
  readonly body: Json;
}

export const API = '/api/v1/public';

/** A request body that is not JSON. */
export class FileBody {
  constructor(
    readonly type: string,
    readonly text: string,
  ) {}
}

/** Calls the public API as an integrator would: over HTTP, with paths relative to its base path. */
export class ApiClient {
  constructor(
    private readonly origin: string,
    private readonly key?: string,
    private readonly base: string = API,
    /** Sent with every call. */
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('PUT', path, body, headers);
  }

  patch(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('PATCH', path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** Sends `body` as JSON, unless it is a file, a string or bytes, which are sent as they are. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    if (body instanceof FileBody) {
      return this.send(method, path, body.text, { 'content-type': body.type, ...headers });
    }
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await httpRequest(
      `${this.origin}${this.base}${path}`,
      method,
      {
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      raw || body === undefined ? body : JSON.stringify(body),
    );
    const isJson = /^application\/(scim\+)?json/.test(response.type ?? '') && response.text !== '';
    return Object.assign(response, {
      body: isJson ? JSON.parse(response.text) : undefined,
    });
  }
}
