import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');

const namesIn = (text: string, line: RegExp): string[] =>
  [...text.matchAll(line)].map(([, name = '']) => name).sort();

const known = namesIn(read('src/platform/config/settings.ts'), /^ {2}([A-Z][A-Z_]*):/gm);

describe.each([
  ['.env.example', /^#? ?([A-Z][A-Z_]*)=/gm],
  ['docs/operations.md', /^\| `([A-Z][A-Z_]*)`/gm],
])('%s', (path, line) => {
  it('lists every setting, and nothing else', () => {
    expect(known).toContain('PORT');
    expect(namesIn(read(path), line)).toEqual(known);
  });
});
