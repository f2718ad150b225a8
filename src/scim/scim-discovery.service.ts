import { Injectable } from '@nestjs/common';
import type { JsonResponse } from '../common/envelope/json-response';
import { notFound } from '../common/error/app-error';
import { documentResponse, listResponse, MAX_COUNT, type ScimRequest } from './scim-request';
import { ENTERPRISE, ENTERPRISE_SCHEMA, GROUP, type Resource, USER } from './scim-schema';

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const ALL = { startIndex: 1, only: null, without: [] };

/** Describes what the service supports (RFC 7644, section 4). */
@Injectable()
export class ScimDiscoveryService {
  config({ base }: ScimRequest): JsonResponse {
    const no = { supported: false };
    return documentResponse({
      schemas: [CONFIG],
      patch: { supported: true },
      bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: MAX_COUNT },
      changePassword: no,
      sort: no,
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'A SCIM token that an owner of the account has created.',
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
    });
  }

  resourceTypes({ base }: ScimRequest): JsonResponse {
    const types = resourceTypes(base);
    return listResponse(types, types.length, ALL);
  }

  /** @throws AppError `not_found` */
  resourceType(id: string, { base }: ScimRequest): JsonResponse {
    return only(resourceTypes(base), id, 'Resource type');
  }

  schemas({ base }: ScimRequest): JsonResponse {
    const found = schemas(base);
    return listResponse(found, found.length, ALL);
  }

  /** @throws AppError `not_found` */
  schema(id: string, { base }: ScimRequest): JsonResponse {
    return only(schemas(base), id, 'Schema');
  }
}

function only(documents: readonly Resource[], id: string, kind: string): JsonResponse {
  const found = documents.find((each) => each['id'] === id);
  if (!found) throw notFound(kind);
  return documentResponse(found);
}

function resourceTypes(base: string): Resource[] {
  const of = (
    type: typeof USER,
    endpoint: string,
    schemaExtensions: readonly object[],
  ): Resource => ({
    schemas: [RESOURCE_TYPE],
    ...{ id: type.name, name: type.name, description: type.description },
    ...{ endpoint, schema: type.id, schemaExtensions },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  });
  return [
    of(USER, '/Users', [{ schema: ENTERPRISE_SCHEMA, required: false }]),
    of(GROUP, '/Groups', []),
  ];
}

const schemas = (base: string): Resource[] =>
  [USER, GROUP, ENTERPRISE].map((schema) => ({
    schemas: [SCHEMA],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));
