import { JsonResponse } from '../common/envelope/json-response';
import type { IfMatch } from '../common/conditional/if-match';
import { SCIM_TYPE } from '../platform/http/error-form';
import { etagOfText } from '../platform/http/etag';
import { isDecodable } from '../platform/http/query';
import { scimError } from './scim-error';
import { attributePath, type AttributePath, type Filter, parseFilter } from './scim-filter';
import { isCore, isObject, type Resource } from './scim-schema';

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Resources of a page, if the directory does not say how many. */
const DEFAULT_COUNT = 100;
/** Maximum number of resources of a page. */
export const MAX_COUNT = 200;
/** Far more than an account has users. */
const MAX_START = 1_000_000;
const MAX_LENGTH = 2_000;
const MAX_NAMES = 100;

/** A request to SCIM, as the directory sees it. */
export interface ScimRequest {
  /** URL of SCIM, such as `https://data.example.com/scim/v2`. */
  readonly base: string;
  readonly query: ScimQuery;
  readonly ifMatch: IfMatch;
}

/** Attributes that a response has. */
export interface Projection {
  /** `null` for all. */
  readonly only: readonly AttributePath[] | null;
  readonly without: readonly AttributePath[];
}

/** What a directory wants of a list. */
export interface ScimQuery extends Projection {
  readonly filter: Filter | null;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** A page with the number of all resources that match. */
export interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly total: number;
}

/** Reads the query of a request. Unknown parameters are ignored, as the standard says. @throws AppError */
export function readQuery(query: Readonly<Record<string, unknown>>, url: string): ScimQuery {
  if (!isDecodable(url.slice(url.indexOf('?') + 1)))
    throw scimError('invalidValue', 'The query must be UTF-8 with percent escapes.');
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || typeof value === 'string') return value;
    throw scimError('invalidValue', `${name}: must be given at most once`);
  };
  const filter = text('filter');
  const only = pathsIn('attributes', text('attributes'));
  return {
    filter: filter === undefined || filter === '' ? null : parseFilter(filter),
    // Smaller values mean 1 and 0 (RFC 7644, section 3.4.2.4).
    startIndex: Math.max(1, numberIn('startIndex', text('startIndex'), 1)),
    count: Math.min(MAX_COUNT, Math.max(0, numberIn('count', text('count'), DEFAULT_COUNT))),
    only: only.length === 0 ? null : only,
    without: pathsIn('excludedAttributes', text('excludedAttributes')),
  };
}

/** Reads a query that is sent in a body (RFC 7644, section 3.4.3). @throws AppError */
export function readSearch(body: unknown): ScimQuery {
  if (!isObject(body)) throw scimError('invalidSyntax', 'body: must be a search request');
  const { filter, startIndex, count, attributes, excludedAttributes } = body;
  const text = (value: unknown): unknown => {
    if (!Array.isArray(value)) return typeof value === 'number' ? String(value) : value;
    if (value.every((each) => typeof each === 'string')) return value.join(',');
    throw scimError('invalidValue', 'attributes: must be names');
  };
  const sent = { filter, startIndex, count, attributes, excludedAttributes };
  const entries = Object.entries(sent).map(([name, value]) => [name, text(value)] as const);
  return readQuery(Object.fromEntries(entries), '');
}

function numberIn(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^-?\d{1,15}$/.test(text)) return Math.min(MAX_START, Number(text));
  throw scimError('invalidValue', `${name}: must be an integer`);
}

function pathsIn(name: string, text = ''): readonly AttributePath[] {
  if (text.length > MAX_LENGTH)
    throw scimError('invalidValue', `${name}: must have at most ${String(MAX_LENGTH)} characters`);
  const names = text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  if (names.length > MAX_NAMES)
    throw scimError('invalidValue', `${name}: must have at most ${String(MAX_NAMES)} names`);
  return names.map(attributePath);
}

/** Returns whether a response has an attribute. @param name In lower case. */
export function isWanted(name: string, { only, without }: Projection): boolean {
  const isOf = (path: AttributePath): boolean => path.name === name && isCore(path.schema);
  if (without.some((path) => isOf(path) && path.sub === null)) return false;
  return only === null || only.some(isOf);
}

/** Attributes that every response has (RFC 7643, section 3.1). */
const ALWAYS = new Set(['schemas', 'id']);

/** Returns the part of a resource that the directory wants. */
export function projected(resource: Resource, { only, without }: Projection): Resource {
  if (only === null && without.length === 0) return resource;
  const entries = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    if (ALWAYS.has(name)) return [[name, value]];
    const key = name.toLowerCase();
    const isOf = (path: AttributePath): boolean =>
      (path.name === key && isCore(path.schema)) || path.schema === key;
    const subOf = (path: AttributePath): string | null =>
      path.schema === key ? path.name : path.sub;
    const kept = only?.filter(isOf).map(subOf) ?? [null];
    const dropped = without.filter(isOf).map(subOf);
    if (kept.length === 0 || dropped.includes(null)) return [];
    const parts = (part: string): boolean =>
      (kept.includes(null) || kept.includes(part)) && !dropped.includes(part);
    return [[name, partOf(value, parts)]];
  });
  return Object.fromEntries(entries);
}

function partOf(value: unknown, isKept: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => partOf(each, isKept));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name.toLowerCase())));
}

/** A resource with its version. */
export interface Versioned {
  readonly resource: Resource;
  /** Strong ETag, including the quotes. */
  readonly etag: string;
}

/** Returns a resource with its location and version in `meta`. */
export function versioned(
  resource: Resource,
  meta: { readonly location: string } & Resource,
  etag = etagOfText(JSON.stringify({ ...resource, meta })),
): Versioned {
  return { resource: { ...resource, meta: { ...meta, version: etag } }, etag };
}

const HEADERS = { 'Content-Type': SCIM_TYPE };

/** Returns the response with one resource. */
export function resourceResponse(
  { resource, etag }: Versioned,
  projection: Projection,
  status = 200,
): JsonResponse {
  const { location } = resource['meta'] as { readonly location: string };
  const text = JSON.stringify(projected(resource, projection));
  const headers = { ...HEADERS, Location: location, ETag: etag };
  return JsonResponse.complete(status, headers, text, etag);
}

/** Returns a response without a body. */
export function emptyResponse(headers: Readonly<Record<string, string>> = {}): JsonResponse {
  return JsonResponse.complete(204, headers, null);
}

/** Returns a page of resources. */
export function listResponse(
  resources: readonly Resource[],
  totalResults: number,
  query: Pick<ScimQuery, 'startIndex' | 'only' | 'without'>,
): JsonResponse {
  const text = JSON.stringify({
    schemas: [LIST_SCHEMA],
    totalResults,
    startIndex: query.startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map((each) => projected(each, query)),
  });
  return JsonResponse.complete(200, HEADERS, text);
}

/** Returns a document, such as a schema. */
export const documentResponse = (document: object): JsonResponse =>
  JsonResponse.complete(200, HEADERS, JSON.stringify(document));
