import { DestinationError, printable } from '../destination';
import type { DataFile } from '../files/file-catalog';
import { type S3Access, S3Client } from '../files/s3-client';

const MAX_SHOWN = 100;
/** A key without half characters, which no URL can hold. */
const ADDRESS = /^s3[an]?:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(\P{Cs}{1,1000})$/u;

/** How to reach a bucket, whose name the table says. */
export type BucketAccess = Omit<S3Access, 'bucket'>;

/** The objects of a table in S3, by their addresses, such as `s3://lake/sales/data/1.parquet`. */
export class TableObjects {
  private readonly client: S3Client;
  private readonly bucket: string;

  /**
   * @param location Address of the table, which the catalog has chosen.
   * @throws DestinationError if it is not in S3.
   */
  constructor(access: BucketAccess, location: string) {
    const [, bucket] = ADDRESS.exec(location) ?? [];
    if (bucket === undefined) {
      const message = `The catalog keeps its tables in "${printable(location, MAX_SHOWN)}". They must be in S3. Choose another warehouse.`;
      throw new DestinationError('configuration', message);
    }
    this.bucket = bucket;
    this.client = new S3Client({ ...access, bucket });
  }

  /** Stores a small object under a new address. */
  async put(address: string, content: Buffer): Promise<void> {
    await this.client.write(this.keyOf(address), content);
  }

  /** @throws DestinationError `inconsistent` if it is missing. */
  async get(address: string, maxBytes: number): Promise<Buffer> {
    const found = await this.client.read(this.keyOf(address), maxBytes);
    if (!found) throw missing();
    return found.body;
  }

  /** Stores a local file under a new address. */
  upload(address: string, path: string): Promise<void> {
    return this.client.upload(this.keyOf(address), path);
  }

  /** @throws DestinationError `inconsistent` if it is missing or has another size. */
  async download({ name, bytes }: DataFile, path: string): Promise<void> {
    if (!(await this.client.download(this.keyOf(name), path, bytes))) throw missing();
  }

  /** Returns whether all files exist with their sizes. @param folder Address that all begin with. */
  async hasFiles(files: readonly DataFile[], folder: string): Promise<boolean> {
    const objects = await this.client.list(this.keyOf(folder));
    const sizes = new Map(objects.map(({ key, bytes }) => [key, bytes]));
    return files.every(({ name, bytes }) => sizes.get(this.keyOf(name)) === bytes);
  }

  /** Deletes objects, if they exist. Those that cannot be deleted stay. */
  async delete(addresses: readonly string[]): Promise<void> {
    await this.client
      .delete(addresses.map((address) => this.keyOf(address)))
      .catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private keyOf(address: string): string {
    const [, bucket, key] = ADDRESS.exec(address) ?? [];
    if (bucket === this.bucket && key !== undefined) return key;
    throw new DestinationError('inconsistent', 'A file of the table is in another bucket.');
  }
}

function missing(): DestinationError {
  const message = 'A file of the table is missing or was changed. It must be loaded again.';
  return new DestinationError('inconsistent', message);
}
