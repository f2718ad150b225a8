import { roleHas, ROLES } from './permission';
import { SCOPES, withIncludedScopes } from './scope';

describe('roleHas', () => {
  it.each([
    ['rows:read', ['viewer', 'editor', 'admin', 'owner']],
    ['rows:write', ['editor', 'admin', 'owner']],
    ['views:read', ['viewer', 'editor', 'admin', 'owner']],
    ['views:write', ['editor', 'admin', 'owner']],
    ['datagrids:write', ['admin', 'owner']],
    ['workspaces:write', ['admin', 'owner']],
    ['webhooks:read', ['admin', 'owner']],
    ['webhooks:write', ['admin', 'owner']],
    ['self:read', ['member', 'viewer', 'editor', 'admin', 'owner']],
    ['self:write', ['member', 'viewer', 'editor', 'admin', 'owner']],
    ['users:read', ['owner']],
    ['users:write', ['owner']],
  ] as const)('grants %s to %j', (permission, roles) => {
    expect(ROLES.filter((role) => roleHas(role, permission))).toEqual(roles);
  });
});

describe('withIncludedScopes', () => {
  it('adds the scopes that a scope includes, in a fixed order and without duplicates', () => {
    expect(withIncludedScopes(['rows:write', 'webhooks:write', 'rows:read'])).toEqual([
      'rows:read',
      'rows:write',
      'webhooks:read',
      'webhooks:write',
    ]);
  });

  it('needs to be applied only once', () => {
    for (const scope of SCOPES) {
      const scopes = withIncludedScopes([scope]);
      expect(withIncludedScopes(scopes)).toEqual(scopes);
    }
  });

  it('adds to each scope that writes the scope that reads the same', () => {
    for (const scope of SCOPES.filter((each) => each.endsWith(':write'))) {
      expect(withIncludedScopes([scope])).toContain(scope.replace(':write', ':read'));
    }
  });
});
