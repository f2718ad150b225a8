import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from './project-files';

const ROOT = join(__dirname, '../..');

const FILES = ['src', 'test']
  .flatMap(projectFiles)
  .filter((path) => path.endsWith('spec.ts') && !path.endsWith('own-applications.spec.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** May only be lowered. */
const MAX_OWN = 128;

const filesWith = (call: string): string[] =>
  FILES.filter(({ text }) => text.includes(call)).map(({ path }) => path);

// An application of its own costs a file about a second.
it('At most MAX_OWN test files start an application of their own, and the others share one', () => {
  const own = new Set([...filesWith('TestApp.start('), ...filesWith('TestApp.alone(')]);
  expect(own.size).toBeLessThanOrEqual(MAX_OWN);
  expect(filesWith('TestApp.shared(').length).toBeGreaterThan(100);
});

// `TestApp.stop` refuses to stop a part of a shared application.
it('No test file itself stops a service, which other files may share', () => {
  expect(filesWith('.onModuleDestroy(')).toEqual([]);
});
