import { KEY_VARIABLE, type ApiCall } from './api-call';

const AUTHORIZATION = `Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\``;
const THROW_REJECTION = 'if (!response.ok) throw new Error(await response.text());';

/** Prints a request with `fetch`, for Node 20 and later. */
export function typescriptCode(call: ApiCall): string {
  const { method, url, query, headers, body, isConditional, sends, saves } = call;
  const hasQuery = Object.keys(query).length > 0;
  const address = hasQuery ? `\`${url.replace(/[`$\\]/g, '\\$&')}?\${query}\`` : literal(url);
  const sent = [
    AUTHORIZATION,
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
    ...Object.entries(headers).map(([name, value]) => `${literal(name)}: ${literal(value)}`),
    ...(isConditional ? [`'If-Match': current.headers.get('ETag') ?? ''`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: ${literal(method)},`]),
    `headers: {\n${indented(sent.map((line) => `${line},`).join('\n'))}\n},`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body, null, 2)}),`]),
    ...(sends === undefined ? [] : [`body: await openAsBlob(${literal(sends)}),`]),
  ];
  return [
    ...(sends === undefined ? [] : [`import { openAsBlob } from 'node:fs';`, '']),
    ...(saves === undefined ? [] : [`import { writeFile } from 'node:fs/promises';`, '']),
    ...(hasQuery ? [`const query = new URLSearchParams(${JSON.stringify(query, null, 2)});`] : []),
    ...(isConditional ? readVersion(url) : []),
    `const response = await fetch(${address}, {\n${indented(options.join('\n'))}\n});`,
    THROW_REJECTION,
    ...response(call),
  ].join('\n');
}

function readVersion(url: string): string[] {
  return [
    `const current = await fetch(${literal(url)}, {\n  headers: { ${AUTHORIZATION} },\n});`,
    THROW_REJECTION.replaceAll('response', 'current'),
  ];
}

function response({ method, query, saves }: ApiCall): string[] {
  if (saves !== undefined) return [`await writeFile(${literal(saves)}, response.body!);`];
  if (method === 'DELETE') return [];
  const isList = method === 'GET' && 'limit' in query;
  return [`const { data${isList ? ', meta' : ''} } = await response.json();`];
}

/** Prints a string literal. A JSON string is a valid one. */
function literal(text: string): string {
  return JSON.stringify(text);
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
