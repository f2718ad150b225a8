import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError, type FieldError, invalidField, invalidRequest } from '../common/error/app-error';
import type { Permission } from '../common/permission/permission';
import { accessOf, PUBLIC_API } from '../platform/http/access';
import { errorBody, type ErrorBody } from '../platform/http/error-form';
import {
  type ClientExchange,
  type InternalRequest,
  type InternalResponse,
  InternalRequests,
} from '../platform/http/internal-request';
import { PATH_ID_READERS } from '../platform/http/path-id';
import { RouteTable } from '../platform/http/route-table';
import { unknownMember } from './operations';
import { type Tool, TOOLS } from './tools';

type Arguments = Readonly<Record<string, unknown>>;

/** Maximum length of the result of a read, as JSON. A model could not use a larger one. */
const MAX_RESULT_LENGTH = 256 * 1024;

/**
 * Maximum length of a response that becomes the result as it is. Longer ones are not parsed, because that
 * takes long. It allows for the spaces that PostgreSQL prints in JSON.
 */
const MAX_PARSED_LENGTH = 2 * MAX_RESULT_LENGTH;

const PATH_PARAMETER = /:(\w+)/g;

/**
 * Calls tools. A call is a request to the route of the tool, through all guards. The arguments are the
 * parameters and body members of the route, which validates them.
 */
@Injectable()
export class ToolCalls implements OnModuleInit {
  private permissions: ReadonlyMap<Tool, Permission> = new Map();

  constructor(
    private readonly requests: InternalRequests,
    private readonly routes: RouteTable,
  ) {}

  onModuleInit(): void {
    const routes = this.routes.all();
    this.permissions = new Map(
      TOOLS.map((tool) => {
        const route = routes.find(
          ({ method, path }) => `${method} ${path}` === `${tool.method} /${PUBLIC_API}${tool.path}`,
        );
        const access = route ? accessOf(route.handler) : null;
        if (access === null || access === 'public' || access === 'scim') {
          throw new Error(`The tool ${tool.definition.name} has no route with a permission.`);
        }
        return [tool, access];
      }),
    );
  }

  /** Returns the permission that the route of a tool requires. */
  permissionOf(tool: Tool): Permission {
    const permission = this.permissions.get(tool);
    if (permission === undefined) throw new Error('Unknown tool.');
    return permission;
  }

  /** Calls a tool. Errors of the API are results, so that the model sees them. */
  async call(client: ClientExchange, tool: Tool, args: Arguments): Promise<CallToolResult> {
    try {
      const response = await this.requests.send(client, requestOf(tool, args));
      return resultOf(response, tool);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, details } = error;
      return failed(errorBody(code, message, client.request.requestId, details));
    }
  }
}

/**
 * @throws AppError `invalid_request` for unknown arguments, and for missing ones of the path; `not_found`
 *   for an argument of the path that is not an id, so that a call reaches no other route.
 */
function requestOf(tool: Tool, given: Arguments): InternalRequest {
  const known = Object.keys(tool.definition.inputSchema.properties ?? {});
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw invalidRequest(unknown.map((name) => unknownMember(name, known)));
  }
  const rest = { ...given };
  const path = tool.path.replaceAll(PATH_PARAMETER, (_, name: string) => {
    const value = rest[name];
    Reflect.deleteProperty(rest, name);
    const text = textArgument(name, value);
    const read = PATH_ID_READERS[name];
    if (!read) throw new Error(`The ids of ${name} cannot be read.`);
    return String(read(text));
  });
  const { idempotencyKey, ...others } = rest;
  const headers: Record<string, string> = {};
  if (tool.isWrite) headers['prefer'] = 'return=minimal';
  if (idempotencyKey !== undefined) {
    headers['idempotency-key'] = textArgument('idempotencyKey', idempotencyKey);
  }
  const url = `/${PUBLIC_API}${path}`;
  if (tool.method === 'GET') return { method: 'GET', url: url + queryOf(others), headers };
  return { method: tool.method, url, headers, body: tool.bodyOf?.(others) ?? others };
}

function textArgument(name: string, value: unknown): string {
  if (value === undefined) throw invalidField(name, 'required', 'is required');
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw invalidField(name, 'wrong_type', 'must be a string');
  if (value === '') throw invalidField(name, 'required', 'is required');
  return value;
}

function queryOf(args: Arguments): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    query.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** @throws AppError `payload_too_large` */
function resultOf({ status, headers, text }: InternalResponse, tool: Tool): CallToolResult {
  if (status >= 400) {
    const retryAfter = headers['retry-after'];
    return failed(
      renamed(JSON.parse(text) as ErrorBody, tool),
      retryAfter === undefined ? undefined : Number(retryAfter),
    );
  }
  const isKept = !tool.isWrite && !tool.present;
  if (isKept && text.length > MAX_PARSED_LENGTH) throw tooLarge(text.length, tool);
  const body = JSON.parse(text) as Record<string, unknown>;
  const result = tool.present?.(body) ?? body;
  const json = JSON.stringify(result);
  // A write has been committed. Its results are short, because they have no values.
  if (!tool.isWrite && json.length > MAX_RESULT_LENGTH) throw tooLarge(json.length, tool);
  return { content: [{ type: 'text', text: json }], structuredContent: result };
}

const tooLarge = (length: number, { smaller = '' }: Tool): AppError =>
  new AppError(
    'payload_too_large',
    `The result has ${String(length)} characters, more than ${String(MAX_RESULT_LENGTH)}. ${smaller}`,
  );

/** Returns an error whose fields have the names of the arguments. */
function renamed({ error }: ErrorBody, { bodyField, argument }: Tool): ErrorBody {
  if (bodyField === undefined || argument === undefined) return { error };
  const rename = (text: string): string =>
    text === bodyField || /^[.:]/.test(text.slice(bodyField.length))
      ? text.replace(bodyField, argument)
      : text;
  const { details, message, ...others } = error;
  const fields = details?.map((detail): FieldError => ({ ...detail, field: rename(detail.field) }));
  return { error: { ...others, message: rename(message), ...(fields && { details: fields }) } };
}

/** @param retryAfterSeconds Time after which the call may succeed. */
function failed({ error }: ErrorBody, retryAfterSeconds?: number): CallToolResult {
  const body = {
    error: { ...error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
  };
  // As text only: clients validate structured content by the output schema, also that of errors.
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
}
