import type { OpenAPIObject } from '@nestjs/swagger';
import { listOperations } from './naming';

/** Bounds of requests that may only rise, and that may only fall. */
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;

type Bound = (typeof UPPER)[number] | (typeof LOWER)[number];

/** What is promised of one parameter, property or value. */
type Facts = Readonly<Partial<Record<Bound, number>>> & {
  readonly operationId?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  /** Name of the schema. */
  readonly schema?: string;
  /** Values that a request may have. Responses may get new values. */
  readonly accepts?: readonly unknown[];
  /** Of a property: whether a request must, or a response does, have it. */
  readonly required?: boolean;
  readonly nullable?: boolean;
};

/**
 * What v1 promises, by place: an operation, a parameter, a schema or a property. A place in a request
 * has `in:`, and a place in a response `out:`.
 */
export type Contract = Readonly<Record<string, Facts>>;

interface Schema extends Facts {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Spec {
  readonly operationId?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

const schemaOf = ($ref: string): string => $ref.slice('#/components/schemas/'.length);

/** Collects promises. Each schema is described once for requests and once for responses. */
class Collector {
  readonly contract = new Map<string, Facts>();

  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {}

  describe(place: string, schema: Schema, way: 'in' | 'out', required?: boolean): void {
    const own = required === undefined ? {} : { required };
    if (schema.$ref !== undefined) {
      const name = schemaOf(schema.$ref);
      this.contract.set(place, { ...own, schema: name });
      const ofSchema = `${way}:${name}`;
      if (!this.contract.has(ofSchema)) this.describe(ofSchema, this.schemas[name] ?? {}, way);
      return;
    }
    this.contract.set(place, { ...own, ...factsOf(schema, way) });
    const names = (schema as { readonly required?: unknown }).required;
    for (const [name, one] of Object.entries(schema.properties ?? {})) {
      this.describe(`${place}.${name}`, one, way, Array.isArray(names) && names.includes(name));
    }
    if (schema.items) this.describe(`${place}[]`, schema.items, way);
    if (typeof schema.additionalProperties === 'object') {
      this.describe(`${place}.*`, schema.additionalProperties, way);
    }
    const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
    for (const [index, one] of parts.entries()) {
      // The place of a named alternative does not depend on the others.
      const name = one.$ref === undefined ? (one.type ?? String(index)) : schemaOf(one.$ref);
      this.describe(`${place}|${name}`, one, way);
    }
  }

  describeContent(place: string, content: Content, way: 'in' | 'out'): void {
    for (const [type, { schema }] of Object.entries(content)) {
      this.describe(`${place} ${type}`, schema ?? {}, way);
    }
  }
}

function factsOf(schema: Schema, way: 'in' | 'out'): Facts {
  const names = ['type', 'format', ...(way === 'in' ? [...UPPER, ...LOWER, 'pattern'] : [])];
  const known = Object.entries(schema).filter(([name]) => names.includes(name));
  return {
    ...Object.fromEntries(known),
    ...(schema.nullable === true && { nullable: true }),
    ...(way === 'in' && schema.enum && { accepts: schema.enum }),
  };
}

/** Returns what a description promises to clients, in the order of the places. */
export function contractOf(document: OpenAPIObject): Contract {
  const collector = new Collector(
    (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>,
  );
  for (const { method, path, spec } of listOperations(document)) {
    const place = `${method.toUpperCase()} ${path}`;
    const { operationId = '', parameters = [], requestBody, responses } = spec as unknown as Spec;
    collector.contract.set(place, { operationId });
    for (const { name, in: where, required = false, schema = {} } of parameters) {
      collector.describe(`${place} in:${where}.${name}`, schema, 'in', required);
    }
    if (requestBody) {
      collector.contract.set(`${place} in:body`, { required: requestBody.required === true });
      collector.describeContent(`${place} in:body`, requestBody.content, 'in');
    }
    for (const [status, { content = {} }] of Object.entries(responses)) {
      collector.contract.set(`${place} out:${status}`, {});
      collector.describeContent(`${place} out:${status}`, content, 'out');
    }
  }
  return Object.fromEntries([...collector.contract].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Prints a contract with a line for each place. */
export function printedContract(contract: Contract): string {
  const lines = Object.entries(contract).map((entry) => entry.map((part) => JSON.stringify(part)));
  return `{\n${lines.map(([place, facts]) => `${place ?? ''}: ${facts ?? ''}`).join(',\n')}\n}\n`;
}

/**
 * Returns how a later description breaks an earlier one, one sentence for each place. Additions are no
 * breach: operations, optional parameters and properties, accepted values, and wider bounds.
 */
export function breaches(earlier: Contract, later: Contract): string[] {
  const changed = Object.entries(earlier).flatMap(([place, facts]) => {
    const now = later[place];
    if (!now) return [`${place}: is gone`];
    const broken = /(^| )in:/.test(place) ? inRequest(facts, now) : inResponse(facts, now);
    return broken.map(
      (name) => `${place}: ${name} was ${shown(facts, name)}, is ${shown(now, name)}`,
    );
  });
  const demanded = Object.keys(later).filter(
    (place) => !(place in earlier) && later[place]?.required === true && isDemand(place, earlier),
  );
  return [...changed, ...demanded.map((place) => `${place}: is new and required`)].sort();
}

const shown = (facts: Facts, name: keyof Facts): string => JSON.stringify(facts[name] ?? null);

type Name = keyof Facts;

const UNCHANGED = ['operationId', 'schema', 'type', 'format'] as const;

const differing = (facts: Facts, now: Facts): Name[] =>
  UNCHANGED.filter((name) => facts[name] !== now[name]);

function inResponse(facts: Facts, now: Facts): Name[] {
  const broken = differing(facts, now);
  if (facts.required === true && now.required !== true) broken.push('required');
  if (facts.nullable !== true && now.nullable === true) broken.push('nullable');
  return broken;
}

function inRequest(facts: Facts, now: Facts): Name[] {
  const broken = differing(facts, now);
  if (facts.required === false && now.required === true) broken.push('required');
  if (facts.nullable === true && now.nullable !== true) broken.push('nullable');
  if (now.pattern !== undefined && now.pattern !== facts.pattern) broken.push('pattern');
  broken.push(...UPPER.filter((name) => (now[name] ?? Infinity) < (facts[name] ?? Infinity)));
  broken.push(...LOWER.filter((name) => (now[name] ?? -Infinity) > (facts[name] ?? -Infinity)));
  const { accepts } = now;
  const isNarrower = accepts && !(facts.accepts?.every((one) => accepts.includes(one)) ?? false);
  return isNarrower === true ? [...broken, 'accepts'] : broken;
}

/** Returns whether a request that was complete needs the new place. */
function isDemand(place: string, earlier: Contract): boolean {
  const [operation = '', inOperation] = place.split(' in:');
  if (inOperation !== undefined) return operation in earlier;
  return place.startsWith('in:') && place.slice(0, place.lastIndexOf('.')) in earlier;
}
