import type { ApiResponse } from './api-response';
import { request, type Method, type RequestOptions } from './client';

/**
 * Sends a request to the public API, with the session instead of a key.
 * @param path Path in the public API, such as `/workspaces`.
 */
export function dataRequest<T>(
  method: Method,
  path: string,
  options?: RequestOptions,
): Promise<ApiResponse<T>> {
  return request<T>(method, dataPath(path), options);
}

/** Returns the path of a public API route for `send` and `urlOf`. */
export function dataPath(path: string): string {
  return `/data${path}`;
}
