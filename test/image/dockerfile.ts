import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

export interface Step {
  readonly instruction: string;
  readonly text: string;
}

export interface Stage {
  /** What it begins with. */
  readonly base: string;
  /** How others call it; undefined for the last one, which is the image. */
  readonly name: string | undefined;
  readonly steps: readonly Step[];
}

/** The stages of the Dockerfile, as it stands. */
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

/** What a stage has of an instruction. */
export const textsOf = ({ steps }: Stage, instruction: string): string[] =>
  steps.filter((step) => step.instruction === instruction).map(({ text }) => text);

/**
 * What of the repository the build is sent, by its path: .dockerignore lists what it takes, and
 * patterns that take some of it away again.
 */
export function isSent(path: string): boolean {
  return (
    TAKEN.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`)) &&
    !LEFT_OUT.some((end) => path.endsWith(end))
  );
}

const IGNORE = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const TAKEN = IGNORE.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const LEFT_OUT = IGNORE.filter((line) => line.startsWith('**/*')).map((line) => line.slice(4));

if (IGNORE[0] !== '*' || 1 + TAKEN.length + LEFT_OUT.length !== IGNORE.length) {
  throw new Error('.dockerignore has patterns that are not understood here.');
}
