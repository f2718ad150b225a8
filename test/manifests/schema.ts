import type { Json } from '../support/api-client';

interface Model {
  validate(): void;
}

/** Packages with the schemas of further kinds, by API group. */
const PACKAGES: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

/**
 * Returns the properties of an object that Kubernetes' schemas reject or do not name. The package
 * contains the schemas as compiled validators, which read only properties that a schema names. A
 * property that was not read is one that Kubernetes would reject or ignore.
 */
export function problemsOf(object: Json): string[] {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const [group = ''] = apiVersion.split('/');
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- which one is known only here
  const models = require(`${PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}`) as Record<
    string,
    new (data: object) => Model
  >;
  const ModelOfKind = models[kind];
  if (!ModelOfKind) return [`no kind ${kind} in ${apiVersion}`];
  const seen = new Map<object, { path: string; read: Set<string | symbol> }>();
  const watched = watch(new ModelOfKind(object), '', seen);
  const problems: string[] = [];
  try {
    watched.validate();
  } catch (error) {
    problems.push(String(error));
  }
  for (const [value, { path, read }] of seen) {
    const unread = Object.keys(value).filter((key) => !read.has(key));
    problems.push(...unread.map((key) => `${path}/${key}: not known`));
  }
  return problems;
}

/** Wraps a value, and records the properties that are read from it. */
function watch<T extends object>(
  value: T,
  path: string,
  seen: Map<object, { path: string; read: Set<string | symbol> }>,
): T {
  const place = seen.get(value) ?? { path, read: new Set() };
  seen.set(value, place);
  return new Proxy(value, {
    get: (target, key) => {
      place.read.add(key);
      const member: unknown = Reflect.get(target, key);
      const isValue = typeof member === 'object' && member !== null && Object.hasOwn(target, key);
      return isValue ? watch(member, `${path}/${String(key)}`, seen) : member;
    },
  });
}
