import type { JsonValue } from '../datagrid';
import { KEY_VARIABLE, type ApiCall } from './api-call';

const AUTHORIZATION = `"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}"`;

/** Prints a request with the `requests` package. */
export function pythonCode(call: ApiCall): string {
  const { method, url, query, headers, body, isConditional, sends, saves } = call;
  const sent = [
    AUTHORIZATION,
    ...Object.entries(headers).map(([name, value]) => `${literal(name)}: ${literal(value)}`),
    ...(isConditional ? ['"If-Match": current.headers["ETag"]'] : []),
  ];
  const parts = [
    `${literal(url)},`,
    `headers={\n${indented(sent.map((line) => `${line},`).join('\n'))}\n},`,
    ...(Object.keys(query).length > 0 ? [`params=${literal(query)},`] : []),
    ...(body === undefined ? [] : [`json=${literal(body)},`]),
    ...(sends === undefined ? [] : ['data=file,']),
    ...(saves === undefined ? [] : ['stream=True,']),
    'timeout=60,',
  ];
  const request = [
    `response = requests.${method.toLowerCase()}(\n${indented(parts.join('\n'))}\n)`,
    'response.raise_for_status()',
  ].join('\n');
  return [
    'import os',
    '',
    'import requests',
    '',
    ...(isConditional ? readVersion(url) : []),
    ...(sends === undefined
      ? [request]
      : [`with open(${literal(sends)}, "rb") as file:`, indented(request)]),
    ...response(call),
  ].join('\n');
}

function readVersion(url: string): string[] {
  return [
    `current = requests.get(\n    ${literal(url)},\n    headers={${AUTHORIZATION}},\n    timeout=60,\n)`,
    'current.raise_for_status()',
  ];
}

function response({ method, saves }: ApiCall): string[] {
  if (saves !== undefined) {
    return [
      `with open(${literal(saves)}, "wb") as file:`,
      '    for chunk in response.iter_content(65536):',
      '        file.write(chunk)',
    ];
  }
  return method === 'DELETE' ? [] : ['data = response.json()["data"]'];
}

/** Prints a JSON value in Python. Strings, numbers and lists have the same notation. */
export function literal(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((item: JsonValue) => literal(item))]
    : ['{', '}', Object.entries(value).map(([key, item]) => `${literal(key)}: ${literal(item)}`)];
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${indented(items.map((item) => `${item},`).join('\n'))}\n${close}`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}
