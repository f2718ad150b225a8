import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isTls } from '../tls/certificate';
import { OperatorError } from './operator-error';

const ALL_ADDRESSES = new Set([undefined, '0.0.0.0', '::']);

/**
 * Listens on the host, or on all addresses if it is undefined.
 * @returns the origin of the server, e.g. `http://localhost:3000`.
 * @param names Names of the settings for port and host, for error messages.
 * @throws OperatorError if the port or host is unavailable.
 */
export async function listen(
  server: Server,
  port: number,
  host: string | undefined,
  names = { port: 'PORT', host: 'HOST' },
): Promise<string> {
  server.listen({ port, host });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new OperatorError(reason(error as NodeJS.ErrnoException, port, host, names), {
      cause: error,
    });
  }
  const name = ALL_ADDRESSES.has(host) ? 'localhost' : bracketed(host ?? '');
  const scheme = isTls(server) ? 'https' : 'http';
  return `${scheme}://${name}:${String((server.address() as AddressInfo).port)}`;
}

function reason(
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host = '',
  names: { readonly port: string; readonly host: string },
): string {
  if (code === 'EADDRINUSE') {
    return `Port ${String(port)} is taken by another program. Set ${names.port} to a free one.`;
  }
  if (code === 'EACCES') {
    return `Port ${String(port)} is not open to this user. Set ${names.port} to one above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `${names.host} must be an address of this machine (it is ${JSON.stringify(host)}).`;
  }
  return `Cannot listen on port ${String(port)}: ${message}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
