import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

const textsOf = (folder: string): { readonly path: string; readonly text: string }[] =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((path) => `${folder}/${String(path)}`)
    .filter((path) => path.endsWith('spec.ts') && !path.endsWith('own-applications.spec.ts'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** May only be lowered. */
const MAX_OWN = 128;

const FILES = ['src', 'test'].flatMap(textsOf);
const filesWith = (call: string): string[] =>
  FILES.filter(({ text }) => text.includes(call)).map(({ path }) => path);

// An application of its own costs a file about a second.
it('At most MAX_OWN test files start an application of their own, and the others share one', () => {
  const own = new Set([...filesWith('TestApp.start('), ...filesWith('TestApp.alone(')]);
  expect(own.size).toBeLessThanOrEqual(MAX_OWN);
  expect(filesWith('TestApp.shared(').length).toBeGreaterThan(100);
});
