/** Filters of the request log, as they are in the URL of the page and in the call. */
export interface RequestFilter {
  /** Id of a key. */
  readonly key?: string;
  readonly status?: StatusClass;
  readonly method?: Method;
}

export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
export type Method = (typeof METHODS)[number];

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the filters of a URL. Values that the service would reject are ignored. */
export function readFilter(search: URLSearchParams): RequestFilter {
  const key = search.get('key');
  const status = STATUS_CLASSES.find((each) => each === search.get('status'));
  const method = METHODS.find((each) => each === search.get('method'));
  return {
    ...(key !== null && ID.test(key) && { key }),
    ...(status !== undefined && { status }),
    ...(method !== undefined && { method }),
  };
}

/** Returns the parameters of a URL with one filter set, or removed by an empty value. */
export function withFilter(
  filter: RequestFilter,
  name: keyof RequestFilter,
  value: string,
): Record<string, string> {
  const { key = '', status = '', method = '' } = filter;
  const all: Readonly<Record<string, string>> = { key, status, method, [name]: value };
  return Object.fromEntries(Object.entries(all).filter(([, each]) => each !== ''));
}

export const isFiltered = (filter: RequestFilter): boolean => Object.keys(filter).length > 0;
