import { roleHas, ROLES } from './permission';

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
    ['self:read', ['viewer', 'editor', 'admin', 'owner']],
    ['self:write', ['viewer', 'editor', 'admin', 'owner']],
    ['users:read', ['owner']],
    ['users:write', ['owner']],
  ] as const)('grants %s to %j', (permission, roles) => {
    expect(ROLES.filter((role) => roleHas(role, permission))).toEqual(roles);
  });
});
