import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

export interface Step {
  readonly instruction: string;
  readonly text: string;
}

export interface Stage {
  /** Base image or stage. */
  readonly base: string;
  /** Name for other stages; undefined for the last stage, which is the image. */
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

/** Returns the stages of the Dockerfile. */
export function readStages(): Stage[] {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const steps = lines.map((line) => {
    const [, instruction = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === '') throw new Error(`Not an instruction: ${line}`);
    return { instruction, text };
  });
  const starts = steps.flatMap(({ instruction }, at) => (instruction === 'FROM' ? [at] : []));
  return starts.map((start, at) => {
    const [base = '', , name] = (steps[start]?.text ?? '').split(' ');
    return { base, name, steps: steps.slice(start + 1, starts[at + 1]) };
  });
}

/** Returns the arguments of a stage's instructions of one kind. */
export const textsOf = ({ steps }: Stage, instruction: string): string[] =>
  steps.filter((step) => step.instruction === instruction).map(({ text }) => text);

/**
 * Returns true if a path is part of the build context. `.dockerignore` lists the included paths
 * (`!`), and patterns that exclude some files of these.
 */
export function isSent(path: string): boolean {
  return (
    INCLUDED.some(
      (one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`),
    ) && !EXCLUDED.some((end) => path.endsWith(end))
  );
}

const IGNORE = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const INCLUDED = IGNORE.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const EXCLUDED = IGNORE.filter((line) => line.startsWith('**/*')).map((line) => line.slice(4));

if (IGNORE[0] !== '*' || 1 + INCLUDED.length + EXCLUDED.length !== IGNORE.length) {
  throw new Error('.dockerignore has patterns that this test does not support.');
}
