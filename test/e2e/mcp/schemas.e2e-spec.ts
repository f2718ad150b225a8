import type { Json } from '../../support/api-client';
import { McpTestClient } from '../../support/mcp-client';
import { TestApp } from '../../support/test-app';

/**
 * What the APIs of OpenAI, Anthropic and Google all accept in the schema of a tool. Google's is the
 * narrowest: it knows these keywords only, and one wrong schema makes it reject all tools.
 */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['enum', 'format', 'minLength', 'maxLength'],
  integer: ['format', 'minimum', 'maximum'],
  number: ['format', 'minimum', 'maximum'],
  boolean: [],
};
const FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  string: ['date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

const NAME_OF_TOOL = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const NAME_OF_PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_DESCRIPTION_LENGTH = 1_024;

/** Returns what is wrong with a schema, with the place of each problem. */
function problemsOf(schema: Json, at: string): string[] {
  if (typeof schema?.type !== 'string' || !(schema.type in KEYWORDS)) {
    return [`${at}: no single type`];
  }
  const type: string = schema.type;
  const known = ['type', 'description', 'default', ...(KEYWORDS[type] ?? [])];
  const unknown = Object.keys(schema as object).filter((name) => !known.includes(name));
  const problems = unknown.map((name) => `${at}: ${name} in a schema of type ${type}`);
  if (String(schema.description ?? '').length > MAX_DESCRIPTION_LENGTH) {
    problems.push(`${at}: long description`);
  }
  const texts: unknown = schema.enum ?? [''];
  const isTexts = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
  if (!isTexts || (schema.enum !== undefined && (texts.length === 0 || texts.includes('')))) {
    problems.push(`${at}: enum of other values than texts`);
  }
  if (schema.format !== undefined && !FORMATS[type]?.includes(schema.format)) {
    problems.push(`${at}: format ${String(schema.format)}`);
  }
  if (type === 'array') problems.push(...problemsOf(schema.items, `${at}[]`));
  if (type === 'object') problems.push(...problemsOfObject(schema, at));
  return problems;
}

function problemsOfObject({ properties, required = [] }: Json, at: string): string[] {
  const members = Object.entries((properties ?? {}) as Record<string, Json>);
  // A tool without arguments has none. Every client that uses Google's API leaves them out.
  const isEmpty = properties === undefined || (members.length === 0 && at.includes('.'));
  const missing = (required as string[]).filter((name) => !(name in (properties ?? {})));
  return [
    ...(isEmpty ? [`${at}: no properties`] : []),
    ...missing.map((name) => `${at}: required ${name} is no property`),
    ...members.flatMap(([name, schema]) => [
      ...(NAME_OF_PROPERTY.test(name) ? [] : [`${at}: name ${name}`]),
      ...problemsOf(schema, `${at}.${name}`),
    ]),
  ];
}

describe('the schemas of the tools', () => {
  it('have only what the APIs of all large models accept', async () => {
    const app = await TestApp.shared();
    const owner = await app.newAccount();
    const mcp = await McpTestClient.connect(app.origin, owner.key);
    try {
      const tools = await mcp.tools();
      expect(tools.length).toBeGreaterThan(10);
      const problems = tools.flatMap(({ name, description = '', inputSchema, outputSchema }) => [
        ...(NAME_OF_TOOL.test(name) ? [] : [`name ${name}`]),
        ...(description.length > MAX_DESCRIPTION_LENGTH ? [`${name}: long description`] : []),
        ...problemsOf(inputSchema, name),
        ...problemsOf(outputSchema, `${name} result`),
      ]);
      expect(problems).toEqual([]);
    } finally {
      await mcp.close();
      await app.close();
    }
  });

  it.each([
    ['an enum without a type', { enum: ['a'] }, 'x.a: no single type'],
    ['several types', { type: ['string', 'null'] }, 'x.a: no single type'],
    ['an enum of numbers', { type: 'integer', enum: [1] }, 'x.a: enum in a schema of type integer'],
    ['an empty text', { type: 'string', enum: [''] }, 'x.a: enum of other values than texts'],
    ['another format', { type: 'string', format: 'uuid' }, 'x.a: format uuid'],
    ['no properties', { type: 'object' }, 'x.a: no properties'],
    ['no items', { type: 'array' }, 'x.a[]: no single type'],
    ['a keyword', { type: 'string', pattern: 'a' }, 'x.a: pattern in a schema of type string'],
  ])('would be found with %s', (_, schema, problem) => {
    const whole = { type: 'object', properties: { a: schema } };
    expect(problemsOf(whole, 'x')).toContain(problem);
  });
});
