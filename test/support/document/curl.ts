import { parseArgs } from 'node:util';

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const OPTIONS = {
  include: { type: 'boolean', short: 'i' },
  silent: { type: 'boolean', short: 's' },
  'show-error': { type: 'boolean', short: 'S' },
  head: { type: 'boolean', short: 'I' },
  get: { type: 'boolean', short: 'G' },
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  data: { type: 'string', short: 'd', multiple: true },
  'data-urlencode': { type: 'string', multiple: true },
} as const;

/**
 * Returns the request that `curl` sends with these arguments.
 * @throws Error for options that the documents do not use.
 */
export function curlRequest(args: readonly string[]): CurlRequest {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    tokens: true,
  });
  const [url = '', ...others] = positionals;
  if (others.length > 0) throw new Error(`Another word that is no option: ${others.join(' ')}`);
  if (/[{}[\]]/.test(url)) throw new Error(`curl takes brackets in a URL for a pattern: ${url}`);
  const data = tokens.flatMap((token) =>
    token.kind === 'option' && token.value !== undefined ? dataOf(token.name, token.value) : [],
  );
  const { get: isQuery = false, head: isHead = false, request, header = [] } = values;
  const body = data.length > 0 && !isQuery ? data.join('&') : undefined;
  return {
    method: request ?? (isHead ? 'HEAD' : body === undefined ? 'GET' : 'POST'),
    url: isQuery && data.length > 0 ? `${url}?${data.join('&')}` : url,
    headers: Object.fromEntries(header.map(nameAndValue)),
    body,
  };
}

function dataOf(option: string, value: string): string[] {
  if (option === 'data') return [value];
  if (option !== 'data-urlencode') return [];
  const [name, content] = split(value, '=');
  return [`${name}=${encodeURIComponent(content)}`];
}

function nameAndValue(header: string): [string, string] {
  const [name, value] = split(header, ':');
  return [name, value.trim()];
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`No ${separator} in ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}
