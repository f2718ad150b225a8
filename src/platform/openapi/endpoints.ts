import type { OpenAPIObject } from '@nestjs/swagger';
import { markdownTable } from '../../common/text/markdown-table';
import { PUBLIC_API } from '../http/access';
import { accessRule, GUIDES, listOperations, type Operation } from './naming';

const INTRODUCTION = `# Endpoints

<!-- Written by \`npm run openapi\`. -->

All endpoints, by resource. Paths are relative to \`/${PUBLIC_API}\`. Every path with \`rows\` also works with \`records\` in place of it, such as \`GET /datagrids/{datagridId}/records\`.

The scope is what a [limited key](authentication.md#scopes) needs. For parameters, bodies and responses, see the pages, or the API reference at \`/docs\`.
`;

/** Prints \`docs/api/endpoints.md\`: a table of the operations of each resource in the document. */
export function endpointsPage(document: OpenAPIObject): string {
  const operations = listOperations(document);
  const sections = (document.tags ?? []).map(({ name }) => {
    const rows = operations.filter(({ spec }) => spec.tags?.includes(name)).map(rowOf);
    return `## ${name}\n\n${markdownTable([['endpoint', 'operation', 'scope', 'page'], ...rows])}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function rowOf(operation: Operation): string[] {
  const { path, method, spec } = operation;
  const page = spec.externalDocs?.url.slice(`${GUIDES}/api/`.length) ?? '';
  return [
    `\`${method.toUpperCase()} ${path.slice(`/${PUBLIC_API}`.length)}\``,
    spec.summary ?? '',
    `\`${accessRule(operation) ?? ''}\``,
    `[${page}](${page}.md)`,
  ];
}
