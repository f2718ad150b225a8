import type { Audience } from '../../common/caller/app-request';
import { type Scope, SCOPES } from '../../common/permission/scope';
import type { AppConfig } from '../../platform/config/app-config';
import { PUBLIC_API } from '../../platform/http/access';
import { linkBase } from '../link-base';

/** Paths of what a token can be for. */
const RESOURCE_PATHS: Readonly<Record<Audience, string>> = {
  mcp: '/mcp',
  api: `/${PUBLIC_API}`,
};

/** Scopes that the tools of the MCP server need. */
const MCP_SCOPES: readonly Scope[] = [
  'workspaces:read',
  'datagrids:read',
  'rows:read',
  'rows:write',
];

/** Scopes with which an application can only read what users work with. */
const READ_SCOPES = SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'audit:read');

const scopesFor = (audience: Audience): readonly Scope[] =>
  audience === 'mcp' ? MCP_SCOPES : SCOPES;

/** Returns what an application asks for that names no scopes: what the MCP server needs, or to read. */
export const defaultScopes = (audience: Audience): readonly Scope[] =>
  audience === 'mcp' ? MCP_SCOPES : READ_SCOPES;

/** Returns the resource indicator of an audience (RFC 8707). @param base As `linkBase` returns it. */
export const resourceOf = (base: string, audience: Audience): string =>
  `${base}${RESOURCE_PATHS[audience]}`;

/**
 * Returns what a resource indicator stands for; `null` if it is not of this installation.
 * @param base As `linkBase` returns it.
 */
export function audienceOf(base: string, resource: string, isMcpServed: boolean): Audience | null {
  const bare = resource.replace(/\/$/, '');
  if (bare === resourceOf(base, 'api')) return 'api';
  return isMcpServed && bare === resourceOf(base, 'mcp') ? 'mcp' : null;
}

/** Returns the metadata of a protected resource (RFC 9728). */
export function resourceMetadata(base: string, audience: Audience): object {
  return {
    resource: resourceOf(base, audience),
    authorization_servers: [base],
    scopes_supported: scopesFor(audience),
    bearer_methods_supported: ['header'],
    resource_name: audience === 'mcp' ? 'Datagrid platform: MCP server' : 'Datagrid platform: API',
  };
}

/** Returns the metadata of the authorization server (RFC 8414). */
export function serverMetadata(base: string): object {
  return {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    registration_endpoint: `${base}/oauth/register`,
    revocation_endpoint: `${base}/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/**
 * Returns the challenge of a 401 response, which tells an MCP client where to get a token, and to ask for which scopes.
 * @param origin Origin at which the client reached the service.
 * @param wasSent Whether the request had a token.
 */
export function bearerChallenge(config: AppConfig, origin: string, wasSent: boolean): string {
  try {
    const path = '/.well-known/oauth-protected-resource/mcp';
    const error = wasSent ? 'error="invalid_token", ' : '';
    const scope = MCP_SCOPES.join(' ');
    return `Bearer ${error}resource_metadata="${linkBase(config, origin)}${path}", scope="${scope}"`;
  } catch {
    // Without PUBLIC_URL, no other machine can authorize an application.
    return 'Bearer';
  }
}
