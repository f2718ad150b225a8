import { KEY_VARIABLE, type ApiCall } from './api-call';

const AUTHORIZATION = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** A call as a line of shell. */
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

/** Of the answer's headers alone, which curl gives as they came. */
function readVersion(url: string): string {
  return [
    `etag=$(curl -sS -D - -o /dev/null ${quoted(url)}`,
    `${AUTHORIZATION} |`,
    `tr -d '\\r' | awk 'tolower($1) == "etag:" { print $2 }')`,
  ].join(' \\\n  ');
}

/** curl takes a POST where there is a body, and a PUT where there is a file. */
function methodOption({ method, body, sends }: ApiCall): string {
  const usual = sends === undefined ? (body === undefined ? 'GET' : 'POST') : 'PUT';
  return method === usual ? '' : ` -X ${method}`;
}

/** For a POSIX shell: nothing within single quotes means anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
