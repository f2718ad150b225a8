import { fencesOf, type Fence } from './fence';

/** A response as a document shows it. Omitted headers may have any value. */
export interface ShownResponse {
  /** Status line, such as `HTTP/1.1 200 OK`. */
  readonly statusLine: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** Parsed JSON; undefined if none is shown, in which case the response must have no body. */
  readonly body: unknown;
}

/** A `sh` block, which a reader pastes into a shell. */
export interface Block {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly script: string;
}

/** A `sh` block that ends with a call, and the `http` block of its response. */
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
  /** The `sh` blocks in order. Those without a response set variables and functions. */
  readonly blocks: readonly (Block | Example)[];
  /** The `http` blocks with a request. They do not belong to a call. */
  readonly deliveries: readonly ShownDelivery[];
}

const REPEATED = 'Repeat this until the response is the one below:';

/** Beginning of an `http` block with a request. */
const DELIVERY = 'POST ';

/** Beginning of the block that sets up the shell, whose responses are not shown. */
const SET_UP = 'BASE=';
const CALL = /^(?:api|curl|import) /m;

/**
 * Parses a document whose fenced blocks are one story, each `sh` or `http`.
 * @throws Error for a block that would not be run or compared.
 */
export function storyOf(markdown: string): Story {
  const lines = markdown.split('\n');
  const blocks: (Block | Example)[] = [];
  const deliveries: ShownDelivery[] = [];
  const fences = fencesOf(markdown);
  for (const [index, { line, language, text: script }] of fences.entries()) {
    const [previous, next] = [fences[index - 1], fences[index + 1]];
    if (language === 'http' && script.startsWith(DELIVERY)) {
      const { statusLine, ...delivery } = responseOf({ language, text: script, line });
      deliveries.push({ requestLine: statusLine, ...delivery });
      continue;
    }
    if (language === 'http' && previous?.language === 'sh') continue;
    if (language !== 'sh') throw new Error(`Line ${line}: a block that nothing runs.`);
    if (next?.language === 'http') {
      const isRepeated = (lines[line - 3] ?? '').endsWith(REPEATED);
      blocks.push({ line, script, isRepeated, response: responseOf(next) });
    } else if (script.startsWith(SET_UP) || !CALL.test(script)) blocks.push({ line, script });
    else throw new Error(`Line ${line}: a call without its response.`);
  }
  return { blocks, deliveries };
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
