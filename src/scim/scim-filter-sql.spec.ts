import { parseFilter } from './scim-filter';
import { groupFilterSql, isIndexed, userFilterSql } from './scim-filter-sql';

/** Returns the condition of a filter with its values in place of the parameters. */
function conditionOf(filter: string, sqlOf = userFilterSql): string {
  return sqlOf(parseFilter(filter), (value) => `'${value}'`);
}

describe('the condition of a filter', () => {
  it('can use an index where a directory looks for one resource', () => {
    const externalId = `(s.account_id = $1 AND s.external_id = 'A-1'::text)`;
    expect(conditionOf('externalId eq "A-1"')).toBe(externalId);
    expect(conditionOf('externalId eq "A-1" and active eq true')).toContain(externalId);
    expect(conditionOf('userName eq "ADA@example.com"')).toContain(
      `n.user_name_key = 'ada@example.com'`,
    );
    expect(conditionOf('displayName eq "Pilots"', groupFilterSql)).toBe(
      `(g.display_name_key = 'pilots'::text)`,
    );
    expect(conditionOf('externalId eq "G-1"', groupFilterSql)).toBe(
      `(g.external_id = 'G-1'::text)`,
    );
  });

  it('has no operand that all objects have', () => {
    for (const name of ['constructor', 'toString', 'valueOf'])
      for (const sqlOf of [userFilterSql, groupFilterSql])
        expect(() => conditionOf(`${name} pr`, sqlOf)).toThrow(/cannot compare/);
  });

  it('is never NULL inside "not", so that what has no value is found', () => {
    expect(conditionOf('not (externalId eq "A-1")')).toMatch(/^\(NOT \(\(.*\) IS TRUE\)\)$/);
    const group = conditionOf('not (externalId eq "G-1")', groupFilterSql);
    expect(group).toMatch(/^\(NOT \(\(.*\) IS TRUE\)\)$/);
  });
});

it.each([
  ['userName eq "a"', true, false],
  ['externalId eq "a" and title pr', true, true],
  ['id eq "a"', true, true],
  ['displayName eq "a"', false, true],
  ['userName eq "a" or title eq "b"', false, false],
  ['not (externalId eq "a")', false, false],
  ['emails co "a"', false, false],
])('an index finds %s: users %j, groups %j', (filter, ofUsers, ofGroups) => {
  const parsed = parseFilter(filter);
  expect([isIndexed(parsed, 'users'), isIndexed(parsed, 'groups')]).toEqual([ofUsers, ofGroups]);
});
