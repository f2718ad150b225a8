/** The objects of a table in its storage, by their addresses, such as `s3://lake/sales/data/1.parquet`. */
export interface TableStorage {
  /** Stores a small object under a new address. */
  put(address: string, content: Buffer): Promise<void>;
  /** @throws DestinationError `inconsistent` if it is missing or larger. */
  get(address: string, maxBytes: number): Promise<Buffer>;
  /** Stores a local file under a new address. */
  upload(address: string, path: string): Promise<void>;
  /** @throws DestinationError `inconsistent` if it is missing or has another size. */
  download(address: string, path: string, bytes: number): Promise<void>;
  has(address: string): Promise<boolean>;
  /** Deletes objects, if they exist. Never throws. */
  delete(addresses: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
