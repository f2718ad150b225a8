/** A request that is sent again and again. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  /** Paths of which each request takes a random one. By default, all requests use `path`. */
  readonly paths?: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface LoadOptions {
  readonly port: number;
  readonly request: LoadRequest;
  readonly connections: number;
  readonly seconds: number;
  /** Any other status ends the run. */
  readonly expectedStatus: number;
  /** Process of the server, to measure its CPU time. */
  readonly pid?: number | undefined;
}

/** What a generator of load measures. */
export interface LoadRates {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly paths?: readonly string[];
  readonly key?: string | undefined;
  readonly ifNoneMatch?: string;
  readonly acceptEncoding?: string;
  readonly body?: string;
}

export function loadRequest(parts: RequestParts): LoadRequest {
  const { method, path, paths, key, ifNoneMatch, acceptEncoding, body } = parts;
  const headers = {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
    ...(acceptEncoding !== undefined && { 'Accept-Encoding': acceptEncoding }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  return { method, path, paths, headers, body };
}
