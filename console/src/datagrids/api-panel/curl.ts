import { KEY_VARIABLE, type ApiCall } from './api-call';

/** A call as a line of shell. */
export function curlCode(call: ApiCall): string {
  const { method, url, query, headers, body, sends, saves } = call;
  const parameters = Object.entries(query);
  const inUrl = method === 'GET' ? '' : new URLSearchParams(query).toString();
  const parts = [
    `curl -sS${methodOption(call)} ${quoted(inUrl === '' ? url : `${url}?${inUrl}`)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(method === 'GET' && parameters.length > 0 ? ['-G'] : []),
    ...(method === 'GET'
      ? parameters.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : []),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
    ...(sends === undefined ? [] : [`-T ${quoted(sends)}`]),
    ...(saves === undefined ? [] : [`--compressed -o ${quoted(saves)}`]),
  ];
  return parts.join(' \\\n  ');
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
