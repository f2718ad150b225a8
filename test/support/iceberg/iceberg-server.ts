import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { eventually } from '../eventually';
import { S3Server } from '../s3/s3-server';

const PROGRAMS = join(__dirname, '.programs');
const PYTHON = join(PROGRAMS, 'python/bin/python');
/** Java starts slowly on a busy machine. */
const PATIENCE_MS = 60_000;

const S3_VERSION = join(__dirname, '../s3/.programs/version');

/** Path of a program or file that `install.sh` has installed. */
export const installed = (name: string): string => join(PROGRAMS, name);

/**
 * Describes a suite that needs a catalog of Iceberg. If it is not installed, skips the suite and says
 * so, or fails in CI, which installs it.
 */
export function describeWithIceberg(name: string, suite: () => void): void {
  const isInstalled = existsSync(installed('version')) && existsSync(S3_VERSION);
  if (isInstalled || process.env['CI'] === 'true') {
    describe(name, suite);
  } else {
    const how = 'test/support/{iceberg,s3}/install.sh';
    process.stdout.write(`Skipped, until \`${how}\` has run: ${name}\n`);
    describe.skip(name, suite);
  }
}

/** What pyiceberg says about a table. */
export interface DescribedTable {
  readonly location: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly snapshots: number;
  /** Ids of the snapshots that readers have seen. */
  readonly history: readonly number[];
  readonly manifests: number;
  readonly files: readonly string[];
  readonly schemas: number;
  /** Types of the columns, by their names. */
  readonly columns: Readonly<Record<string, string>>;
}

/** A program that responds to each line of JSON with one. */
class LineProgram {
  private readonly child: ChildProcess;
  private readonly lines: Interface;
  private readonly ended: Promise<never>;

  constructor(script: string, options: unknown, env: NodeJS.ProcessEnv = process.env) {
    this.child = spawn(PYTHON, [join(__dirname, script), JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env,
    });
    this.child.stdin?.on('error', () => undefined);
    if (!this.child.stdout) throw new Error('There is no output.');
    this.lines = createInterface(this.child.stdout);
    this.ended = once(this.lines, 'close').then(() => {
      throw new Error('The program has ended.');
    });
    this.ended.catch(() => undefined);
  }

  /** Sends a request, and returns the result of its response. One at a time. */
  async ask(request: unknown): Promise<unknown> {
    const response = once(this.lines, 'line');
    this.child.stdin?.write(`${JSON.stringify(request)}\n`);
    const [line] = (await Promise.race([response, this.ended])) as [string];
    const { result, error } = JSON.parse(line) as { result?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async close(): Promise<void> {
    await endOf(this.child);
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A row that Spark returns. */
export type SparkRow = Readonly<Record<string, unknown>>;

/** A session of Spark. `lake` is the catalog. */
export class SparkSession {
  private readonly program: LineProgram;

  constructor({ catalogUri, storage }: IcebergServer) {
    const jars = [
      'spark/iceberg-spark-runtime-3.5_2.12-1.10.0.jar',
      'jars/iceberg-aws-bundle-1.10.0.jar',
    ];
    const extensions = 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions';
    const catalog = {
      '': 'org.apache.iceberg.spark.SparkCatalog',
      '.type': 'rest',
      '.uri': catalogUri,
      // Every query reads the table as it is.
      '.cache-enabled': 'false',
      '.io-impl': 'org.apache.iceberg.aws.s3.S3FileIO',
      '.s3.endpoint': storage.endpoint,
      '.s3.path-style-access': 'true',
      '.s3.access-key-id': storage.accessKeyId,
      '.s3.secret-access-key': storage.secretAccessKey,
      '.client.region': storage.region,
    };
    const options = {
      'spark.jars': jars.map(installed).join(','),
      'spark.sql.extensions': extensions,
      'spark.ui.enabled': 'false',
      'spark.driver.memory': '640m',
      'spark.driver.host': '127.0.0.1',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.sql.session.timeZone': 'UTC',
      'spark.sql.shuffle.partitions': '1',
      ...Object.fromEntries(
        Object.entries(catalog).map(([name, value]) => [`spark.sql.catalog.lake${name}`, value]),
      ),
    };
    this.program = new LineProgram('spark.py', options, { ...process.env, TZ: 'UTC' });
  }

  async query(statement: string): Promise<readonly SparkRow[]> {
    return (await this.program.ask(statement)) as SparkRow[];
  }

  /** Returns the only row of a result. */
  async queryOne(statement: string): Promise<SparkRow> {
    const [row] = await this.query(statement);
    if (!row) throw new Error('There is no row.');
    return row;
  }

  close(): Promise<void> {
    return this.program.close();
  }
}

/** A REST catalog of Apache Iceberg, a server of S3, and pyiceberg, which reads tables. */
export class IcebergServer {
  readonly namespace = 'sales';
  private catalog: ChildProcess | undefined;
  private reader: LineProgram | undefined;

  private constructor(
    private readonly directory: string,
    readonly storage: S3Server,
    readonly catalogPort: number,
  ) {}

  static async start(): Promise<IcebergServer> {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-iceberg-server-'));
    const server = new IcebergServer(directory, await S3Server.start(), await freePort());
    try {
      await server.startCatalog();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get catalogUri(): string {
    return `http://127.0.0.1:${String(this.catalogPort)}`;
  }

  get secretAccessKey(): string {
    return this.storage.secretAccessKey;
  }

  /** Settings of a connection. */
  get settings(): Readonly<Record<string, unknown>> {
    const { endpoint, region, accessKeyId } = this.storage;
    const { catalogUri: uri, namespace } = this;
    return { uri, namespace, s3Endpoint: endpoint, s3Region: region, accessKeyId };
  }

  /** Asks pyiceberg. */
  async ask(method: string, ...parameters: readonly unknown[]): Promise<unknown> {
    this.reader ??= this.startReader();
    return this.reader.ask({ method, parameters });
  }

  async describe(table: string): Promise<DescribedTable> {
    return (await this.ask('describe', table)) as DescribedTable;
  }

  /** Returns the size of a table's metadata, as the catalog returns it. */
  async metadataBytes(table: string): Promise<number> {
    const url = `${this.catalogUri}/v1/namespaces/${this.namespace}/tables/${table}`;
    return (await (await fetch(url)).text()).length;
  }

  async listTables(): Promise<readonly string[]> {
    return (await this.ask('tables')) as string[];
  }

  async close(): Promise<void> {
    await this.reader?.close();
    await this.stopCatalog();
    await this.storage.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Kills the catalog. `startCatalog` starts it again, with its tables. */
  async stopCatalog(): Promise<void> {
    if (this.catalog) await endOf(this.catalog);
  }

  async startCatalog(): Promise<void> {
    const { bucket, endpoint, region, accessKeyId, secretAccessKey } = this.storage;
    const variables = {
      // With a write-ahead log, tests that read all the time cannot block a change of a table.
      CATALOG_URI: `jdbc:sqlite:file:${join(this.directory, 'catalog.db')}?journal_mode=WAL`,
      CATALOG_JDBC_USER: 'user',
      CATALOG_JDBC_PASSWORD: 'password',
      CATALOG_WAREHOUSE: `s3://${bucket}/warehouse`,
      CATALOG_IO__IMPL: 'org.apache.iceberg.aws.s3.S3FileIO',
      CATALOG_S3_ENDPOINT: endpoint,
      CATALOG_S3_PATH__STYLE__ACCESS: 'true',
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      CATALOG_REST_PORT: String(this.catalogPort),
    };
    const program = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
    const main = 'org.apache.iceberg.rest.RESTCatalogServer';
    const child = spawn('java', [...program, '-cp', installed('jars/*'), main], {
      env: { ...process.env, ...variables },
      stdio: 'ignore',
    });
    this.catalog = child;
    let failure: Error | undefined;
    child.on('error', (error) => (failure = error));
    await eventually(async () => {
      if (failure) throw failure;
      if (child.exitCode !== null) throw new Error('The catalog has ended.');
      return fetch(`${this.catalogUri}/v1/config`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, PATIENCE_MS);
  }

  private startReader(): LineProgram {
    const { endpoint, region, accessKeyId, secretAccessKey } = this.storage;
    return new LineProgram('reader.py', {
      namespace: this.namespace,
      uri: this.catalogUri,
      's3.endpoint': endpoint,
      's3.region': region,
      's3.access-key-id': accessKeyId,
      's3.secret-access-key': secretAccessKey,
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
