import { KEY_VARIABLE, type ApiCall } from './api-call';

const AUTHORIZATION = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** Prints a request as a shell command. */
export function curlCode(call: ApiCall): string {
  const { method, url, query, headers, body, isConditional, sends, saves } = call;
  const parameters = Object.entries(query);
  const inUrl = method === 'GET' ? '' : new URLSearchParams(query).toString();
  const parts = [
    `curl -sS${methodOption(call)} ${quoted(inUrl === '' ? url : `${url}?${inUrl}`)}`,
    AUTHORIZATION,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(method === 'GET' && parameters.length > 0 ? ['-G'] : []),
    ...(method === 'GET'
      ? parameters.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : []),
    ...(isConditional ? [`-H "If-Match: $etag"`] : []),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
    ...(sends === undefined ? [] : [`-T ${quoted(sends)}`]),
    ...(saves === undefined ? [] : [`--compressed -o ${quoted(saves)}`]),
  ];
  return `${isConditional ? `${readVersion(url)}\n` : ''}${parts.join(' \\\n  ')}`;
}

/** Prints a command that stores the ETag of a resource in `$etag`. */
function readVersion(url: string): string {
  return [
    `etag=$(curl -sS -D - -o /dev/null ${quoted(url)}`,
    `${AUTHORIZATION} |`,
    `tr -d '\\r' | awk 'tolower($1) == "etag:" { print $2 }')`,
  ].join(' \\\n  ');
}

/** curl assumes POST for a body and PUT for a file. */
function methodOption({ method, body, sends }: ApiCall): string {
  const usual = sends === undefined ? (body === undefined ? 'GET' : 'POST') : 'PUT';
  return method === usual ? '' : ` -X ${method}`;
}

/** Quotes a text for a POSIX shell, in which single quotes disable all special characters. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
