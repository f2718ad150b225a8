import { Injectable } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { hasSomewhere } from '../auth/permission/require-permission';
import { JsonResponse } from '../common/envelope/json-response';
import { invalidField } from '../common/error/app-error';
import type { ClientExchange } from '../platform/http/internal-request';
import { ToolCalls } from './tool-calls';
import { type Tool, TOOLS } from './tools';

const SERVER = { name: 'datagrid-platform', title: 'Datagrid platform', version: '1' };

const INSTRUCTIONS = `Tables of an account: workspaces contain datagrids (typed tables), and datagrids contain rows.
Find the ID of a datagrid with list_workspaces and list_datagrids. Before you query or write rows, call describe_datagrid: it returns the columns, the JSON Schema of the values and the filter operators of each column.
To count, sum or group, use aggregate_rows instead of reading all rows. For joins and calculations over several datagrids, use run_sql.
Errors have a code, a message and the fields that are wrong. Correct the arguments and call the tool again. If a call that creates rows may have failed on the way, repeat it with the same idempotencyKey.`;

/** Headers that the transport of the protocol reads. */
const PROTOCOL_HEADERS = [
  'accept',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
];

const EVENT_STREAM = 'text/event-stream';

/** The server never asks clients for input, so it has nothing to validate. */
const NO_VALIDATION = {
  getValidator: (): never => {
    throw new Error('The MCP server does not ask for input.');
  },
};

/**
 * Answers messages of MCP clients. Each message has a server of its own, so that any instance of the
 * service can answer it.
 */
@Injectable()
export class McpService {
  constructor(private readonly calls: ToolCalls) {}

  /**
   * Returns the response to one JSON-RPC message, by the rules of streamable HTTP.
   * @throws AppError `invalid_request` for a batch, because a request counts as one against the rate
   *   limits, and for a message that the transport would take too long to check.
   */
  async receive(client: ClientExchange, message: unknown): Promise<JsonResponse> {
    if (Array.isArray(message)) {
      throw invalidField('body', 'wrong_type', 'must be one JSON-RPC message, not a batch');
    }
    requireSmall(message);
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: PROTOCOL_HEADERS.flatMap((name): [string, string][] => {
        const value = client.request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    });
    const server = this.newServer(client);
    const response = (await isLegacyRequest(request, message))
      ? await respondToSession(server, request, message)
      : await createMcpHandler(() => server, { legacy: 'reject' }).fetch(request, {
          parsedBody: message,
        });
    const text = await response.text();
    const type = response.headers.get('content-type');
    const headers = type === EVENT_STREAM ? { 'Content-Type': EVENT_STREAM } : {};
    return JsonResponse.complete(response.status, headers, text === '' ? null : text);
  }

  private newServer(client: ClientExchange): McpServer {
    const mcp = new McpServer(SERVER, {
      // Nothing announces that the list of tools has changed.
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: NO_VALIDATION,
    });
    // The handlers below, not the server's own registry of tools: its schemas are of zod.
    mcp.server.setRequestHandler('tools/list', () => ({
      tools: TOOLS.filter((tool) => this.isFor(client, tool)).map(({ definition }) => definition),
    }));
    mcp.server.setRequestHandler('tools/call', ({ params }) => {
      const tool = TOOLS.find(({ definition }) => definition.name === params.name);
      if (!tool) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
      }
      return this.calls.call(client, tool, params.arguments ?? {});
    });
    return mcp;
  }

  /** Returns whether the caller may use a tool in at least one workspace. */
  private isFor({ request: { caller } }: ClientExchange, tool: Tool): boolean {
    return caller !== undefined && hasSomewhere(caller, this.calls.permissionOf(tool));
  }
}

/** Responds to a message of a version of the protocol that begins with `initialize`. */
async function respondToSession(
  server: McpServer,
  request: Request,
  parsedBody: unknown,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

/** Maximum number of arguments, and of values outside of them. No client sends as many. */
const MAX_VALUES = 100;

/** Rejects messages whose check by the schemas of the protocol would take long. */
function requireSmall(message: unknown): void {
  const params = memberOf(message, 'params');
  const args = memberOf(params, 'arguments');
  requireFew(sizeOf(args));
  let values = 0;
  const waiting: unknown[] = [message];
  while (waiting.length > 0) {
    const value = waiting.pop();
    values += sizeOf(value);
    requireFew(values);
    if (typeof value !== 'object' || value === null) continue;
    for (const each of Object.values(value) as unknown[]) if (each !== args) waiting.push(each);
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.keys(value).length : 0;

function requireFew(values: number): void {
  if (values <= MAX_VALUES) return;
  const message = `must not have more than ${String(MAX_VALUES)} properties`;
  throw invalidField('body', 'out_of_range', message);
}
