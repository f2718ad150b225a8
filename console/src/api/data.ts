import type { Answer } from './answer';
import { request, type Method, type RequestOptions } from './client';

/**
 * A call of the public API, made with the session instead of a key.
 *
 * @param path As there, such as `/workspaces`.
 */
export function dataRequest<T>(
  method: Method,
  path: string,
  options?: RequestOptions,
): Promise<Answer<T>> {
  return request<T>(method, dataPath(path), options);
}

/** Where `send` and `urlOf` find a route of the public API. */
export function dataPath(path: string): string {
  return `/data${path}`;
}
