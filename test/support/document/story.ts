import { fencesOf, type Fence } from './fence';
import { curlsOf } from './shell';

/** A response as a document shows it. Omitted headers may have any value. */
export interface ShownResponse {
  /** Status line, such as `HTTP/1.1 200 OK`. */
  readonly statusLine: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** Parsed JSON; undefined if none is shown, in which case the response must have no body. */
  readonly body: unknown;
}

/** A `sh` block. */
export interface Block {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** The previous blocks, whose variables and functions are available. */
  readonly before: string;
  readonly script: string;
}

/** A `sh` block that makes one call, with the `http` block of its response. */
export interface Example extends Block {
  /** True if the document tells the reader to repeat the call until it returns this response. */
  readonly isRepeated: boolean;
  readonly response: ShownResponse;
}

/** A request of the service to an endpoint, as a document shows it. */
export interface ShownDelivery {
  /** Request line, such as `POST /hook HTTP/1.1`. */
  readonly requestLine: string;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: unknown;
}

export interface Story {
  readonly examples: readonly Example[];
  /** The `http` blocks with a request. They do not belong to a call. */
  readonly deliveries: readonly ShownDelivery[];
  /** The `sh` blocks that make no call. */
  readonly preparations: readonly Block[];
  readonly blockCount: number;
}

const REPEATED = /^# Again until the response is this one:$/m;

/** Beginning of an `http` block with a request. */
const DELIVERY = 'POST ';

/**
 * Parses a document whose fenced blocks form one story, each `sh` or `http`.
 * @throws Error for a block that would not be executed or compared.
 */
export function storyOf(markdown: string): Story {
  const examples: Example[] = [];
  const preparations: Block[] = [];
  const deliveries: ShownDelivery[] = [];
  const fences = fencesOf(markdown);
  const before: string[] = [];
  for (const [index, { line, language, text: script }] of fences.entries()) {
    const [previous, next] = [fences[index - 1], fences[index + 1]];
    if (language === 'http' && script.startsWith(DELIVERY)) {
      const { statusLine, ...delivery } = responseOf({ language, text: script, line });
      deliveries.push({ requestLine: statusLine, ...delivery });
      continue;
    }
    if (language === 'http' && previous?.language === 'sh') continue;
    if (language !== 'sh') throw new Error(`Line ${line}: a block that nothing executes.`);
    const block = { line, before: before.join('\n'), script };
    before.push(script);
    if (next?.language === 'http') {
      examples.push({ ...block, isRepeated: REPEATED.test(script), response: responseOf(next) });
    } else if (curlsOf(block.before, script).length === 0) preparations.push(block);
    else throw new Error(`Line ${line}: a call without its response.`);
  }
  return { examples, deliveries, preparations, blockCount: fences.length };
}

function responseOf({ text, line }: Fence): ShownResponse {
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
    // The last line of a text file ends with a newline, which a block does not show.
    body: isFile ? `${content}\n` : content === '' ? undefined : JSON.parse(content),
  };
}
