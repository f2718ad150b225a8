import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
} from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiHeader } from '@nestjs/swagger';
import type { AppRequest, Caller } from '../../common/caller/app-request';
import { IF_MATCH_PATTERN, IfMatch, type IfNoneMatch } from '../../common/conditional/if-match';
import type { Permission } from '../../common/permission/permission';
import { ApiErrors } from './api-responses';
import { ifNoneMatchOf } from './compress';
import { requestOf, responseOf } from '../load/exchange';

export const ACCESS = Symbol('access');
const SESSION = Symbol('session');
const LISTS_REACHABLE = Symbol('lists reachable');
const SERVES_PART = Symbol('serves part');
const SERVES_WITHOUT_SECOND_FACTOR = Symbol('serves without factor');
const REQUIRES_RECENT_SIGN_IN = Symbol('requires recent sign-in');
const PUBLIC_LIMIT = Symbol('public limit');

/** Extension of the OpenAPI document that holds a route's permission. */
export const PERMISSION_EXTENSION = 'x-permission';

/** Access rule of a route. Every route declares one, and a test checks that. */
export type Access = 'public' | 'scim' | Permission;

/** Requires that the caller's role has `permission`. */
export const RequirePermission = (permission: Permission): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS, permission),
    ApiBearerAuth('apiKey'),
    ApiExtension(PERMISSION_EXTENSION, permission),
  );

/**
 * Marks a console route: the caller must be signed in, and their role must have `permission`. API
 * keys are rejected.
 */
export const RequireSession = (permission: Permission): MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, permission), SetMetadata(SESSION, true));

/** Marks a route of SCIM: it requires a SCIM token, which no other route accepts. */
export const RequireScimToken = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, 'scim');

/**
 * Marks a route without a workspace in its path that returns only what the caller has access to. So
 * callers with access to some workspaces may use it.
 */
export const ListsReachable = (): MethodDecorator => SetMetadata(LISTS_REACHABLE, true);

/** Returns whether a handler returns only what the caller has access to. */
export const listsReachable = (handler: object): boolean =>
  Reflect.getMetadata(LISTS_REACHABLE, handler) === true;

/**
 * Marks a route below a workspace that serves a key which is limited to datagrids of it: with these, and
 * nothing else of the workspace.
 */
export const ServesPart = (): MethodDecorator => SetMetadata(SERVES_PART, true);

/** Returns whether a handler serves keys that are limited to datagrids of the workspace. */
export const servesPart = (handler: object): boolean =>
  Reflect.getMetadata(SERVES_PART, handler) === true;

/**
 * Marks a console route that also serves users who lack the second factor that their account requires: they
 * need it to set one up, or to end their sessions.
 */
export const ServesWithoutSecondFactor = (): MethodDecorator =>
  SetMetadata(SERVES_WITHOUT_SECOND_FACTOR, true);

/** Returns whether a handler serves users who lack the second factor that their account requires. */
export const servesWithoutSecondFactor = (handler: object): boolean =>
  Reflect.getMetadata(SERVES_WITHOUT_SECOND_FACTOR, handler) === true;

/** Marks a console route whose users must have signed in within the last hour, so that an old session cannot call it. */
export const RequireRecentSignIn = (): MethodDecorator =>
  SetMetadata(REQUIRES_RECENT_SIGN_IN, true);

/** Returns whether the users of a handler must have signed in within the last hour. */
export const requiresRecentSignIn = (handler: object): boolean =>
  Reflect.getMetadata(REQUIRES_RECENT_SIGN_IN, handler) === true;

/**
 * Limit of a client address that a public route counts against: requests without a caller
 * (`requests`), the larger limit for files that cost next to nothing (`files`), or none.
 */
export type PublicLimit = 'requests' | 'files' | 'none';

/** Marks a route as public: it requires no key and does not read one. */
export const Public = (limit: PublicLimit = 'requests'): MethodDecorator =>
  applyDecorators(
    SetMetadata<symbol, Access>(ACCESS, 'public'),
    SetMetadata<symbol, PublicLimit>(PUBLIC_LIMIT, limit),
  );

/**
 * Returns whether a route with this access changes data. A route that only reads does not, even if
 * its method is `POST`.
 */
export const changesData = (access: Access | null): boolean => access?.endsWith(':write') ?? false;

/** Marks a route of the MCP server, to which applications send tokens that are for it. */
export const ServesMcp = (): MethodDecorator => (_prototype, _method, descriptor) => {
  servingMcp.add(descriptor.value as object);
};

const servingMcp = new WeakSet<object>();

/** Returns whether a handler is that of the MCP server. */
export const servesMcp = (handler: object): boolean => servingMcp.has(handler);

const accesses = new WeakMap<object, Access | null>();

/**
 * Returns the access rule of a handler. Cached, because reflection is slow.
 * @returns `null` if the handler declares none.
 */
export function accessOf(handler: object): Access | null {
  let access = accesses.get(handler);
  if (access === undefined) {
    access = (Reflect.getMetadata(ACCESS, handler) as Access | undefined) ?? null;
    accesses.set(handler, access);
  }
  return access;
}

const forSessions = new WeakMap<object, boolean>();

/** Returns whether a handler is for users signed in to the console, not for API keys. */
export function isForSessions(handler: object): boolean {
  let isFor = forSessions.get(handler);
  if (isFor === undefined) {
    isFor = Reflect.getMetadata(SESSION, handler) === true;
    forSessions.set(handler, isFor);
  }
  return isFor;
}

const publicLimits = new WeakMap<object, PublicLimit>();

/** Returns the limit that a public handler counts against. */
export function addressLimitOf(handler: object): PublicLimit {
  let limit = publicLimits.get(handler);
  if (limit === undefined) {
    limit = (Reflect.getMetadata(PUBLIC_LIMIT, handler) as PublicLimit | undefined) ?? 'requests';
    publicLimits.set(handler, limit);
  }
  return limit;
}

const headersOf = (context: ExecutionContext): AppRequest['headers'] => requestOf(context).headers;

const readIfMatch = createParamDecorator((_: unknown, context: ExecutionContext): IfMatch => {
  const headers = headersOf(context);
  return IfMatch.parse(headers['if-match'], headers['if-none-match']);
});

const withConditions = new WeakSet<object>();

/**
 * Returns the preconditions of a write that its route does not check, by the names of their headers.
 * To ignore them would overwrite what the client wants to keep.
 */
export function uncheckedConditions(
  handler: object,
  headers: AppRequest['headers'],
): readonly string[] {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return [];
  if (!changesData(accessOf(handler)) || withConditions.has(handler)) return [];
  return [
    ...(ifMatch === undefined || ifMatch.trim() === '*' ? [] : ['If-Match']),
    ...(ifNoneMatch === undefined ? [] : ['If-None-Match']),
  ];
}

/**
 * Reads and validates `If-Match` and `If-None-Match` of a write, and declares `If-Match` and the 412
 * error of the route.
 */
export const IfMatchHeader = (): ParameterDecorator => (prototype, method, index) => {
  readIfMatch()(prototype, method, index);
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
  withConditions.add(descriptor.value as object);
  ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      '`ETag` of the version that you read. If the object has changed since, the request returns 412 and nothing changes. Accepts a list of ETags, and `*` for any version.',
    schema: { type: 'string', pattern: IF_MATCH_PATTERN, example: '"4-1"' },
  })(prototype, method ?? '', descriptor);
  ApiErrors('precondition_failed')(prototype, method ?? '', descriptor);
};

/** Reads `If-None-Match`, for a route that can check the version without reading the data. */
export const IfNoneMatchHeader = createParamDecorator(
  (_: unknown, context: ExecutionContext): IfNoneMatch | undefined =>
    ifNoneMatchOf(headersOf(context)),
);

/** The caller that the caller guard has admitted. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = requestOf(context);
    if (!caller) throw new Error('A public route has no caller.');
    return caller;
  },
);

/** Base path of the public API, without leading or trailing slash. */
export const PUBLIC_API = 'api/v1/public';

/** The response, for a service that waits or that sends it itself. */
export const CurrentResponse = createParamDecorator((_: unknown, context: ExecutionContext) =>
  responseOf(context),
);

/** Origin at which the client reached the service, such as `https://data.example.com`. */
export const RequestOrigin = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => {
    const { protocol, host } = requestOf(context);
    return `${protocol}://${host}`;
  },
);

/** The headers of the request. */
export const RequestHeaders = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).headers,
);
