import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import { Client, Pool } from 'pg';
import type { MeasuredDestination } from './measure-destinations';

/** A database on the server of the benchmark that receives rows at a TCP port. */
export class Warehouse {
  private constructor(
    readonly sql: Pool,
    readonly url: string,
    private readonly server: Server,
  ) {}

  /** @param sql Connections to the server on which the database is created. */
  static async create(sql: Pool, serverUrl: string): Promise<Warehouse> {
    await sql.query('CREATE DATABASE warehouse');
    const url = onDatabase(serverUrl, 'warehouse');
    const { host, port } = new Client({ connectionString: url });
    const server = createServer((client) => {
      const upstream = connect(`${host}/.s.PGSQL.${String(port)}`);
      pipeline(client, upstream, client, () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Warehouse(new Pool({ connectionString: url, max: 2 }), url, server);
  }

  /** Properties of a connection to this database. */
  get connection(): MeasuredDestination {
    const { user, database } = new Client({ connectionString: this.url });
    const { port } = this.server.address() as AddressInfo;
    const settings = { host: '127.0.0.1', port, user, database, schema: 'public', tls: false };
    return { type: 'postgresql', settings };
  }

  async close(): Promise<void> {
    this.server.close();
    await this.sql.end();
  }
}

/** Returns the URL of another database of a server that listens on a Unix socket. */
export function onDatabase(serverUrl: string, database: string): string {
  return serverUrl.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${database}`);
}
