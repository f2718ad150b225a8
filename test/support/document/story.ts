import { fencesOf, type Fence } from './fence';
import { curlsOf } from './shell';

/** What a document shows of an answer: headers that it leaves out may be anything. */
export interface ShownAnswer {
  /** Such as `HTTP/1.1 200 OK`. */
  readonly statusLine: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** Parsed JSON; undefined where none is shown, and then there must be none. */
  readonly body: unknown;
}

/** A `sh` block. */
export interface Block {
  /** Where it opens, from 1. */
  readonly line: number;
  /** The blocks before: their variables and functions are there. */
  readonly before: string;
  readonly script: string;
}

/** A `sh` block that makes one call, with the `http` block of its answer. */
export interface Example extends Block {
  /** Whether the document tells its reader to repeat the call until the answer is this one. */
  readonly isRepeated: boolean;
  readonly answer: ShownAnswer;
}

export interface Story {
  readonly examples: readonly Example[];
  /** The `sh` blocks that only set something. */
  readonly preparations: readonly Block[];
  readonly blockCount: number;
}

const REPEATED = /^# Again until the answer is this one:$/m;

/**
 * Reads a document whose fenced blocks are one story, each `sh` or `http`.
 * @throws Error for every block that would not be executed, or compared.
 */
export function storyOf(markdown: string): Story {
  const examples: Example[] = [];
  const preparations: Block[] = [];
  const fences = fencesOf(markdown);
  const before: string[] = [];
  for (const [index, { line, language, text: script }] of fences.entries()) {
    const [previous, next] = [fences[index - 1], fences[index + 1]];
    if (language === 'http' && previous?.language === 'sh') continue;
    if (language !== 'sh') throw new Error(`Line ${line}: a block that nothing executes.`);
    const block = { line, before: before.join('\n'), script };
    before.push(script);
    if (next?.language === 'http') {
      examples.push({ ...block, isRepeated: REPEATED.test(script), answer: answerOf(next) });
    } else if (curlsOf(block.before, script).length === 0) preparations.push(block);
    else throw new Error(`Line ${line}: a call without its answer.`);
  }
  return { examples, preparations, blockCount: fences.length };
}

function answerOf({ text, line }: Fence): ShownAnswer {
  const [head = '', ...body] = text.split('\n\n');
  const [statusLine = '', ...fields] = head.split('\n');
  const headers = fields.map((field) => {
    const [, name, value] = /^([\w-]+): (.+)$/.exec(field) ?? [];
    if (name === undefined) throw new Error(`Line ${line}: ${field} is no header.`);
    return [name, value] as const;
  });
  const content = body.join('\n\n');
  const isFile = headers.some(
    ([name, type]) => name === 'Content-Type' && type?.startsWith('application/json') === false,
  );
  return {
    statusLine,
    headers: Object.fromEntries(headers) as Record<string, string>,
    // A text ends its last line, which a block does not show.
    body: isFile ? `${content}\n` : content === '' ? undefined : JSON.parse(content),
  };
}
