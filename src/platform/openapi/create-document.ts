import type { INestApplication } from '@nestjs/common';
import { SwaggerModule, type OpenAPIObject, type OperationObject } from '@nestjs/swagger';
import { ErrorDto } from '../http/dto/error.dto';
import { withAnswers } from './answers';
import { withClosedBodies } from './closed-bodies';
import { withExamples } from './examples';
import { failureResponses } from './failures';
import { HEADERS } from './headers';
import { INTRODUCTION } from './introduction';
import { API_TAGS, named, rawOperationId } from './naming';
import { mapOperations, type Operation } from './operations';
import { withParameters } from './parameters';

const FRAME = {
  openapi: '3.0.3',
  info: { title: 'Datagrid platform: public API', version: '1', description: INTRODUCTION },
  servers: [{ url: '/' }],
  tags: [...API_TAGS],
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'mk_…',
        description: 'An API key; for servers only.',
      },
    },
  },
} satisfies Omit<OpenAPIObject, 'paths'>;

/**
 * Creates the OpenAPI document of the public API. Decorators describe what is specific to a route.
 * What applies to every route is added here, so that no route can omit it. The document is complete
 * only in the output of `nest build`, whose plugin turns types and comments into descriptions.
 */
export function createDocument(app: INestApplication): OpenAPIObject {
  const scanned = SwaggerModule.createDocument(app, FRAME, {
    operationIdFactory: rawOperationId,
    extraModels: [ErrorDto],
  });
  const closed = withClosedBodies(scanned);
  const schemas = closed.components?.schemas ?? {};
  const steps: ((operation: Operation) => OperationObject)[] = [
    named,
    withParameters,
    withAnswers,
    ({ spec }) => withExamples(spec, schemas),
  ];
  const document = mapOperations(closed, (operation) =>
    steps.reduce((spec, step) => step({ ...operation, spec }), operation.spec),
  );
  return {
    ...FRAME,
    paths: sortedByName(document.paths),
    components: {
      ...FRAME.components,
      schemas: sortedByName(schemas),
      responses: failureResponses(),
      headers: HEADERS,
    },
  };
}

/**
 * Sorts a record by key, so that the document does not depend on the order of modules and imports.
 */
function sortedByName<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
