import type { OpenAPIObject } from '@nestjs/swagger';
import type { Json } from '../support/api-client';
import { DOCUMENT } from '../support/openapi-file';
import { breaches, contractOf } from '../../src/platform/openapi/contract';

const RELEASED = contractOf(DOCUMENT);

/** Returns the breaches of a copy of the document after a change. */
function breachesOf(change: (document: Json) => void): string[] {
  const copy = JSON.parse(JSON.stringify(DOCUMENT)) as OpenAPIObject;
  change(copy);
  return breaches(RELEASED, contractOf(copy));
}

const ROWS = '/api/v1/public/datagrids/{datagridId}/rows';
const WORKSPACES = '/api/v1/public/workspaces';

describe('breaches of the contract', () => {
  it('are none for the same document, and none for additions and wider bounds', () => {
    expect(breachesOf(() => undefined)).toEqual([]);
    const additions = breachesOf(({ paths, components: { schemas } }) => {
      paths['/api/v1/public/new'] = { get: { operationId: 'getNew', responses: { 200: {} } } };
      const { parameters } = paths[WORKSPACES].get;
      (parameters as Json[]).find((one) => one.name === 'limit').schema.maximum = 500;
      (parameters as Json[]).push({
        name: 'q',
        in: 'query',
        required: false,
        schema: { type: 'string' },
      });
      schemas.Workspace.properties.color = { type: 'string' };
      (schemas.Workspace.required as string[]).push('color');
      schemas.CreateWorkspace.properties.color = { type: 'string' };
      delete schemas.CreateWorkspace.properties.name.maxLength;
      (schemas.CreateColumn.properties.type.enum as string[]).push('another');
    });
    expect(additions).toEqual([]);
  });

  it('are operations, parameters, statuses and properties that are gone or renamed', () => {
    expect(
      breachesOf(({ paths, components: { schemas } }) => {
        delete paths[`${ROWS}/aggregate`];
        (paths[WORKSPACES].get.parameters as Json[]).splice(0, 1);
        paths[WORKSPACES].get.operationId = 'findWorkspaces';
        delete paths[WORKSPACES].get.responses['304'];
        delete schemas.Workspace.properties.description;
        delete schemas.CreateWorkspace.properties.description;
      }),
    ).toEqual(
      expect.arrayContaining([
        `POST ${ROWS}/aggregate: is gone`,
        `GET ${WORKSPACES} in:query.page: is gone`,
        `GET ${WORKSPACES}: operationId was "listWorkspaces", is "findWorkspaces"`,
        `GET ${WORKSPACES} out:304: is gone`,
        'out:Workspace.description: is gone',
        'in:CreateWorkspace.description: is gone',
      ]),
    );
  });

  it('are new demands on requests: bounds, patterns, required properties, fewer values', () => {
    expect(
      breachesOf(({ paths, components: { schemas } }) => {
        const { parameters } = paths[ROWS].get;
        const named = (name: string): Json =>
          (parameters as Json[]).find((one) => one.name === name);
        named('limit').schema.maximum = 100;
        named('filter').schema.maxLength = 1_000;
        named('filter').schema.pattern = '^[{]';
        named('q').required = true;
        named('fields').schema.enum = ['name'];
        schemas.CreateWorkspace.properties.color = { type: 'string' };
        (schemas.CreateWorkspace.required as string[]).push('color');
      }),
    ).toEqual([
      `GET ${ROWS} in:query.fields: accepts was null, is ["name"]`,
      `GET ${ROWS} in:query.filter: maxLength was null, is 1000`,
      `GET ${ROWS} in:query.filter: pattern was null, is "^[{]"`,
      `GET ${ROWS} in:query.limit: maximum was 200, is 100`,
      `GET ${ROWS} in:query.q: required was false, is true`,
      'in:CreateWorkspace.color: is new and required',
    ]);
  });

  it('are responses with other types, and with properties that can be absent or null', () => {
    expect(
      breachesOf(({ components: { schemas } }) => {
        const { Workspace } = schemas;
        Workspace.properties.name.type = 'integer';
        Workspace.properties.createdAt.nullable = true;
        Workspace.required = (Workspace.required as string[]).filter((name) => name !== 'id');
      }),
    ).toEqual([
      'out:Workspace.createdAt: nullable was null, is true',
      'out:Workspace.id: required was true, is false',
      'out:Workspace.name: type was "string", is "integer"',
    ]);
  });
});
