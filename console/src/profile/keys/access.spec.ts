import { roleHas, ROLES } from '../../../../src/common/permission/permission';
import { SCOPES, withIncludedScopes } from '../../../../src/common/permission/scope';
import type { ApiKey } from '../../api/types';
import {
  accessErrors,
  bodyOf,
  datagridTarget,
  describeAccess,
  FULL_ACCESS,
  includes,
  scopesOf,
  withIncluded,
} from './access';

const KEY: ApiKey = {
  id: 'id',
  name: 'Name',
  prefix: 'mk_abcde',
  lastFour: 'wxyz',
  createdAt: '2026-11-21T09:30:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  replacedById: null,
  scopes: null,
  workspaceIds: null,
  datagridIds: null,
  state: 'active',
};

describe('bodyOf', () => {
  it('limits nothing by default', () => {
    expect(bodyOf(FULL_ACCESS)).toEqual({ scopes: null, workspaceIds: null, datagridIds: null });
  });

  it('sends the permissions that read, or those that were chosen', () => {
    expect(bodyOf({ kind: 'read', scopes: ['rows:write'], targets: null }).scopes).toEqual([
      'workspaces:read',
      'datagrids:read',
      'rows:read',
      'views:read',
    ]);
    const { scopes } = bodyOf({ kind: 'some', scopes: ['rows:write'], targets: null });
    expect(scopes).toEqual(['rows:write']);
  });

  it('separates workspaces from datagrids', () => {
    const targets = ['a', datagridTarget('b'), datagridTarget('c')];
    expect(bodyOf({ kind: 'all', scopes: [], targets })).toEqual({
      scopes: null,
      workspaceIds: ['a'],
      datagridIds: ['b', 'c'],
    });
  });

  it('never turns an empty choice into an unlimited key', () => {
    expect(bodyOf({ kind: 'some', scopes: [], targets: [] })).toEqual({
      scopes: [],
      workspaceIds: [],
      datagridIds: null,
    });
  });
});

describe('accessErrors', () => {
  const errors = { scopes: 'Must be a list.', workspaceIds: 'Must be null or a list.' };

  it('ask for a choice if nothing was chosen', () => {
    expect(accessErrors(errors, { kind: 'some', scopes: [], targets: [] })).toEqual({
      scopesError: 'Choose at least one permission.',
      targetsError: 'Choose at least one workspace or datagrid.',
    });
  });

  it('are those of the server otherwise', () => {
    expect(accessErrors(errors, { kind: 'some', scopes: ['a'], targets: ['b'] })).toEqual({
      scopesError: 'Must be a list.',
      targetsError: 'Must be null or a list.',
    });
    expect(accessErrors({ datagridIds: 'Unknown.' }, FULL_ACCESS).targetsError).toBe('Unknown.');
    expect(accessErrors({}, undefined)).toEqual({});
  });
});

describe('describeAccess', () => {
  it.each([
    [{}, 'Everything'],
    [{ scopes: ['rows:read', 'views:read'] }, 'Read only'],
    [{ scopes: ['rows:read', 'rows:write'] }, '2 permissions'],
    [
      { workspaceIds: ['a'], datagridIds: ['b', 'c'] },
      'Everything, in 1 workspace and 2 datagrids',
    ],
  ])('describes %j as %s', (access, description) => {
    expect(describeAccess({ ...KEY, ...access })).toBe(description);
  });
});

describe('scopesOf', () => {
  const roles = ROLES.filter((role) => role !== 'member');

  it.each(roles)('offers the permissions that the service grants to the role %s', (role) => {
    const granted = SCOPES.filter((scope) => roleHas(role, scope));
    expect(
      scopesOf(role)
        .map(({ scope }) => scope)
        .sort(),
    ).toEqual([...granted].sort());
  });
});

describe('what a permission includes', () => {
  it.each(SCOPES)('is what the service gives with %s', (scope) => {
    const given = withIncludedScopes([scope]);
    expect(withIncluded([scope]).sort()).toEqual([...given].sort());
    const others = given.filter((other) => other !== scope);
    expect(SCOPES.filter((other) => includes(scope, other))).toEqual(others);
  });
});
