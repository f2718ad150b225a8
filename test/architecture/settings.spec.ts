import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');

const namesIn = (text: string, line: RegExp): string[] =>
  [...text.matchAll(line)].map(([, name = '']) => name).sort();

describe('.env.example', () => {
  it('lists every setting, and nothing else', () => {
    const known = namesIn(read('src/platform/config/app-config.ts'), /^ {2}([A-Z][A-Z_]*):/gm);
    const listed = namesIn(read('.env.example'), /^#? ?([A-Z][A-Z_]*)=/gm);
    expect(known).toContain('PORT');
    expect(listed).toEqual(known);
  });
});
