import {
  Client,
  StreamableHTTPClientTransport,
  type Tool,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { ErrorBody } from '../../src/platform/http/error-form';
import type { Json } from './api-client';
import { isDetailMessage, isErrorMessage } from './public-messages';

/** Result of a tool, as a model sees it. */
export interface ToolResult {
  readonly isError: boolean;
  readonly body: Json;
}

/** Calls the MCP server with the client of the official SDK. */
export class McpTestClient {
  private constructor(private readonly client: Client) {}

  /** @param mode Versions of the protocol that the client tries: `auto` begins with the newest. */
  static async connect(
    origin: string,
    key: string,
    mode: VersionNegotiationMode = 'auto',
  ): Promise<McpTestClient> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    await client.connect(transport);
    // The client then validates results by the output schemas of the tools.
    await client.listTools();
    return new McpTestClient(client);
  }

  get instructions(): string | undefined {
    return this.client.getInstructions();
  }

  get version(): string | undefined {
    return this.client.getNegotiatedProtocolVersion();
  }

  get capabilities(): unknown {
    return this.client.getServerCapabilities();
  }

  async tools(): Promise<Tool[]> {
    return (await this.client.listTools()).tools;
  }

  async names(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  /** Calls a tool. A result must be the same as text and as structured content. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
    const result = await this.client.callTool({ name, arguments: args });
    const [content] = result.content;
    const body: Json = JSON.parse(content?.type === 'text' ? content.text : '');
    const isError = result.isError === true;
    expect(result.structuredContent).toEqual(isError ? undefined : body);
    return { isError, body };
  }

  /** Calls a tool that must succeed, and returns its result. */
  async ok(name: string, args: Record<string, unknown> = {}): Promise<Json> {
    const { isError, body } = await this.call(name, args);
    expect({ isError, body }).toEqual({ isError: false, body });
    return body;
  }

  /** Calls a tool that must fail, and returns the error. Its messages must be public ones. */
  async error(name: string, args: Record<string, unknown> = {}): Promise<Json> {
    const { isError, body } = await this.call(name, args);
    expect({ isError, body }).toEqual({ isError: true, body });
    const { message, details = [] } = body.error as ErrorBody['error'];
    const unlisted = details.filter((detail) => !isDetailMessage(detail.message));
    expect({ message, isListed: isErrorMessage(message), unlisted }).toEqual({
      message,
      isListed: true,
      unlisted: [],
    });
    return body.error;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** Sends one HTTP request to the MCP server, as a client without the SDK would. */
export async function sendMessage(
  origin: string,
  key: string | undefined,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Json }> {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Returns the message of a tool call. */
export const callMessage = (name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
