import { patched, readOperations } from './scim-patch';
import { ENTERPRISE_SCHEMA, type Resource, USER_ATTRIBUTES } from './scim-schema';

const patch = (resource: Resource, ...operations: readonly object[]): Promise<Resource> =>
  patched('account', resource, readOperations({ Operations: operations }), USER_ATTRIBUTES);

const emails = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ value: `${String(n)}@example.com` }));

const invalid = (scimType: string, message: RegExp): object => ({
  ...{ code: 'invalid_request', scimType },
  message: expect.stringMatching(message) as string,
});

describe('a patch', () => {
  it('sends up to 50 values of an attribute, also if it removes them afterwards', async () => {
    const tooMany = { op: 'add', path: 'emails', value: emails(51) };
    await expect(patch({}, tooMany, { op: 'remove', path: 'emails' })).rejects.toMatchObject(
      invalid('invalidValue', /^emails: must have at most 50 values$/),
    );
    const numbers = { op: 'add', path: 'emails', value: Array(280_000).fill(1) };
    await expect(patch({}, numbers, numbers)).rejects.toMatchObject(
      invalid('invalidValue', /at most 50 values/),
    );
  });

  it('adds no more values than fit, in any number of operations', async () => {
    const full = { op: 'add', path: 'emails', value: emails(50) };
    expect((await patch({}, full, full))['emails']).toHaveLength(50);
    const more = { op: 'add', path: 'emails', value: [{ value: 'x@example.com' }] };
    const created = { op: 'add', path: 'emails[type eq "x"].value', value: 'x@example.com' };
    for (const each of [more, created])
      await expect(patch({}, full, each, { op: 'remove', path: 'emails' })).rejects.toMatchObject(
        invalid('invalidValue', /at most 50 values/),
      );
  });

  it('has values of a bounded size after each operation', async () => {
    const large = { value: 'x'.repeat(9_000) };
    const twice = [
      { op: 'add', path: 'emails', value: [{ ...large, type: 'a' }] },
      { op: 'add', path: 'emails', value: [{ ...large, type: 'b' }] },
    ];
    const removed = { op: 'remove', path: 'emails' };
    const tooLarge = invalid('invalidValue', /at most 16384 bytes/);
    await expect(patch({}, ...twice, removed)).rejects.toMatchObject(tooLarge);
    const title = { op: 'add', path: 'title', value: 'x'.repeat(17_000) };
    await expect(patch({}, title, { op: 'remove', path: 'title' })).rejects.toMatchObject(tooLarge);
  });

  it('has up to 100 operations, 200 names in one of them, and 500 in all', async () => {
    const one = { op: 'replace', path: 'title', value: 'x' };
    const many = (count: number): object[] => Array<object>(count).fill(one);
    expect(await patch({}, ...many(100))).toEqual({ title: 'x' });
    expect(() => readOperations({ Operations: many(101) })).toThrow(/at most 100 operations/);
    const named = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown${String(n)}`, 'x']));
    expect(await patch({}, { op: 'add', value: { ...named(199), title: 'x' } })).toEqual({
      title: 'x',
    });
    await expect(patch({}, { op: 'add', value: named(201) })).rejects.toMatchObject(
      invalid('invalidValue', /^value: must have at most 200 attributes$/),
    );
    const spelled = (n: number): string =>
      'title'
        .split('')
        .map((c, at) => ((n >> at) & 1 ? c.toUpperCase() : c))
        .join('');
    const titles = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [spelled(n), 'x']));
    const operations = Array<object>(16).fill({ op: 'add', value: titles });
    await expect(patch({}, ...operations)).rejects.toMatchObject(
      invalid('tooMany', /at most 500 attributes/),
    );
  });

  it('does not parse the names of attributes that nobody knows', async () => {
    const value = { 'nonsense[': 'x', [`urn:acme:2.0:User:title["`]: 'x', nickName: 'A' };
    expect(await patch({}, { op: 'add', value })).toEqual({ nickName: 'A' });
  });

  it('has paths of 20,000 characters in all, which are counted before they are parsed', () => {
    const condition = (n: number): string => `x.y${String(n)} pr`;
    const path = `emails[${Array.from({ length: 50 }, (_, n) => condition(n)).join(' or ')}]`;
    const count = Math.ceil(20_000 / path.length) + 1;
    const names = Array.from({ length: count }, (_, n) => `${path}.p${String(n)}`);
    const tooMany = /at most 20000 characters of paths/;
    for (const operations of [
      [{ op: 'add', value: Object.fromEntries(names.map((name) => [name, 'x'])) }],
      names.map((each) => ({ op: 'add', path: `${each}(`, value: 'x' })),
    ])
      expect(() => readOperations({ Operations: operations })).toThrow(tooMany);
  });

  it('leaves out what no platform keeps, and does the rest', async () => {
    const sent = [
      { op: 'replace', path: 'active', value: false },
      { op: 'replace', path: 'photos[type eq "photo"].value', value: 'x' },
      { op: 'add', path: 'password', value: 'x' },
    ];
    expect(await patch({ active: true }, ...sent)).toEqual({ active: false });
  });

  it('makes no value the primary one by what is no text', async () => {
    const before = { emails: [{ value: 'a@example.com', type: 'work' }] };
    const path = 'emails[type eq "work"].primary';
    for (const value of [{ toString: 1, valueOf: 1 }, [true]])
      await expect(patch(before, { op: 'replace', path, value })).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });

  it('changes nothing of the resource by an extension that nobody knows', async () => {
    const before = { active: true, title: 'x' };
    const acme = 'urn:ietf:params:scim:schemas:extension:Acme:2.0:User';
    const after = await patch(
      before,
      { op: 'replace', path: `${acme}:active`, value: 'False' },
      { op: 'replace', path: `urn:acme:any:title`, value: 'y' },
      { op: 'add', path: acme, value: { title: 'y' } },
      { op: 'add', value: { [`${acme}:active`]: false, [acme]: { active: false } } },
      { op: 'remove', path: `${acme}:title` },
    );
    expect(after).toEqual(before);
    const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
    expect(await patch(before, { op: 'replace', path: `${core}:title`, value: 'y' })).toEqual({
      ...before,
      title: 'y',
    });
    const unknown = { op: 'add', path: `${ENTERPRISE_SCHEMA}:title`, value: 'y' };
    await expect(patch(before, unknown)).rejects.toMatchObject(invalid('invalidPath', /title/));
  });

  it.each([
    ['manager', 'M-2'],
    ['manager', { value: 'M-2' }],
    ['manager', [{ $ref: '../Users/M-2', value: 'M-2' }]],
    [`${ENTERPRISE_SCHEMA}:manager`, [{ $ref: '../Users/M-2', value: 'M-2' }]],
    ['manager.value', 'M-2'],
  ])('sets the manager by %s and %j', async (path, value) => {
    const after = await patch({}, { op: 'add', path, value });
    expect(after).toEqual({ [ENTERPRISE_SCHEMA]: { manager: { value: 'M-2' } } });
  });

  it('adds a value once, whatever the order of its parts, and makes it the primary one', async () => {
    const stored = { emails: [{ type: 'work', value: 'a@example.com' }] };
    const same = { op: 'add', path: 'emails', value: [{ value: 'a@example.com', type: 'work' }] };
    expect(await patch(stored, same)).toEqual(stored);
    const named = { op: 'add', path: 'emails', value: { TYPE: 'work', Value: 'a@example.com' } };
    expect(await patch(stored, named)).toEqual(stored);
    const other = { value: 'b@example.com', primary: true };
    const primary = { value: 'a@example.com', type: 'work', primary: true };
    const after = await patch(
      stored,
      { op: 'add', path: 'emails', value: [other] },
      { op: 'add', path: 'emails', value: [primary] },
    );
    expect(after['emails']).toEqual([primary, { ...other, primary: false }]);
  });
});
