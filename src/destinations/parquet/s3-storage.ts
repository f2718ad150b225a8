import { randomUUID } from 'node:crypto';
import { DestinationError } from '../destination';
import { type DataFile, VersionConflictError } from '../files/file-catalog';
import type { S3Client } from '../files/s3-client';
import type { StoredDocument, StoredFile, TableStorage } from './document-catalog';
import { isFileName, MANIFEST_NAME, MAX_DOCUMENT_BYTES } from './table-document';

/**
 * The objects of one table, whose keys begin with the same prefix. The document is one of them, and its
 * version is its ETag: a document has a unique id, so no two of them have the same one.
 */
export class S3Storage implements TableStorage {
  constructor(
    private readonly client: S3Client,
    /** With a slash at the end. */
    private readonly prefix: string,
    private readonly name: string,
    readonly place: string,
  ) {}

  async readDocument(): Promise<StoredDocument | null> {
    const found = await this.client.read(this.keyOf(MANIFEST_NAME), MAX_DOCUMENT_BYTES);
    return found && { version: found.etag, text: found.body.toString('utf8') };
  }

  async replaceDocument(text: string, base: string | null): Promise<string> {
    const condition = base === null ? ({ ifNoneMatch: '*' } as const) : { ifMatch: base };
    const key = this.keyOf(MANIFEST_NAME);
    const etag = await this.client.write(key, Buffer.from(text), condition);
    if (etag === null) throw new VersionConflictError();
    return etag;
  }

  put(path: string, name: string): Promise<void> {
    return this.client.upload(this.keyOf(name), path);
  }

  async get({ name, bytes }: DataFile, path: string): Promise<void> {
    if (await this.client.download(this.keyOf(name), path, bytes)) return;
    throw new DestinationError(
      'inconsistent',
      `A file of table "${this.name}" is missing or was changed. It must be loaded again.`,
    );
  }

  async list(): Promise<StoredFile[]> {
    const objects = await this.client.list(this.prefix);
    return objects
      .map(({ key, ...object }) => ({ ...object, name: key.slice(this.prefix.length) }))
      .filter(({ name }) => name !== MANIFEST_NAME);
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.client.delete(names.map((name) => this.keyOf(name)));
  }

  async removeAll(): Promise<void> {
    const files = (await this.list()).map(({ name }) => name);
    await this.remove(files.filter(isFileName));
    await this.remove([MANIFEST_NAME]);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private keyOf(name: string): string {
    return this.prefix + name;
  }
}

const TEST_BODY = Buffer.from('A test of the conditional writes that a sync needs.\n');

/**
 * Checks the rights that a sync needs, and that the server honors the conditions of writes. Some ignore
 * them in silence: two workers could then overwrite each other.
 * @param prefix Beginning of the keys of all tables.
 */
export async function testBucket(client: S3Client, prefix: string): Promise<void> {
  const key = `${prefix}_datagrid_test_${randomUUID()}`;
  try {
    const first = await client.write(key, TEST_BODY, { ifNoneMatch: '*' });
    const second = await client.write(key, TEST_BODY, { ifNoneMatch: '*' });
    const other = await client.write(key, TEST_BODY, { ifMatch: `"${'0'.repeat(32)}"` });
    if (first === null || second !== null || other !== null) throw unconditional();
    const found = await client.read(key, TEST_BODY.length);
    if (found?.etag !== first || !found.body.equals(TEST_BODY)) throw unconditional();
    const third = await client.write(key, Buffer.from('{}'), { ifMatch: first });
    const late = await client.write(key, TEST_BODY, { ifMatch: first });
    if (third === null || late !== null) throw unconditional();
    const listed = await client.list(key);
    if (!listed.some((object) => object.key === key)) throw unconditional();
  } finally {
    // If it fails, the rights are not enough, and the next line says so.
    await client.delete([key]).catch(() => undefined);
  }
  await client.delete([key]);
}

function unconditional(): DestinationError {
  return new DestinationError(
    'configuration',
    'The server does not honor conditional writes (If-Match and If-None-Match), without which two workers could overwrite each other. Use one that does.',
  );
}
