import { randomUUID } from 'node:crypto';
import type { DataFile } from '../files/file-catalog';
import { MAX_FILE_BYTES } from '../files/segments';
import { DestinationError } from '../destination';
import { MAX_AVRO_BYTES } from './iceberg-avro';
import { ID_FIELD } from './iceberg-columns';
import {
  ADDED,
  DELETED,
  EXISTING,
  MANIFEST,
  MANIFEST_LIST,
  type ManifestDataFile,
  type ManifestEntry,
  type ManifestFile,
  readBound,
} from './iceberg-manifest';
import type { TableObjects } from './table-storage';

const MAX_MANIFESTS = 10_000;
const MAX_FILES = 100_000;
/** Size of all manifests of a snapshot that are held in memory. */
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;
/** Number of manifests at which small ones are merged. */
const MERGE_AT = 40;
/** A manifest with as many files is not merged any more. */
const MAX_ENTRIES = 10_000;

/** A manifest with its files, without those that it lists as deleted. */
interface ListedManifest {
  readonly file: ManifestFile;
  readonly entries: readonly ManifestEntry[];
}

/** Where the files of a table are. */
export interface TablePlace {
  readonly storage: TableObjects;
  /** Address of the table, without a slash at the end. */
  readonly location: string;
}

export const dataFolder = (location: string): string => `${location}/data/`;
export const metadataFolder = (location: string): string => `${location}/metadata/`;

/** The snapshot that is being written. */
export interface NewSnapshot {
  readonly id: number;
  readonly sequence: number;
  readonly parentId: string | null;
  readonly specId: number;
  /** Schema of Iceberg, as JSON. */
  readonly schema: { readonly 'schema-id': number };
  /** Whether the manifests list the files that this snapshot removes, for readers of changes. */
  readonly listsDeleted: boolean;
}

/** The data files of a snapshot, in manifests. Nothing of it changes. */
export class FileList {
  private constructor(
    /** Address of the list of manifests; `null` if there is no snapshot. */
    readonly address: string | null,
    private readonly manifests: readonly ListedManifest[],
    /** Totals for the summary of the snapshot, if this worker has written it. */
    readonly summary: Readonly<Record<string, string>> = {},
  ) {}

  static readonly EMPTY = new FileList(null, []);

  /**
   * Reads the files of a snapshot that a sync has written.
   * @throws DestinationError `inconsistent` if anything of it is missing or not as it was written.
   */
  static async read({ storage, location }: TablePlace, address: string): Promise<FileList> {
    requireIn(metadataFolder(location), address);
    const list = await MANIFEST_LIST.read(await storage.get(address, MAX_AVRO_BYTES), {
      records: MAX_MANIFESTS,
      bytes: MAX_AVRO_BYTES,
    });
    const manifests: ListedManifest[] = [];
    const left = { records: MAX_FILES, bytes: MAX_MANIFEST_BYTES };
    for (const file of list) {
      requireIn(metadataFolder(location), file.manifest_path);
      const content = await storage.get(file.manifest_path, MAX_AVRO_BYTES);
      const entries = await MANIFEST.read(content, left);
      manifests.push({ file, entries: liveEntries(entries, file, location) });
    }
    return new FileList(address, manifests);
  }

  /** The files, in order of their ids. */
  get files(): readonly ManifestDataFile[] {
    const files = this.manifests.flatMap(({ entries }) => entries.map((one) => one.data_file));
    return files.sort((one, other) => idRange(one).fromId - idRange(other).fromId);
  }

  /** Addresses of the manifests. */
  get manifestAddresses(): readonly string[] {
    return this.manifests.map(({ file }) => file.manifest_path);
  }

  /** Writes the manifests and the list of a new snapshot that has these files. */
  async write(
    place: TablePlace,
    snapshot: NewSnapshot,
    files: readonly ManifestDataFile[],
  ): Promise<FileList> {
    const wanted = new Map(files.map((file) => [file.file_path, file]));
    const before = new Set(this.files.map((file) => file.file_path));
    const added = files.filter((file) => !before.has(file.file_path));
    const removed = this.files.filter((file) => !wanted.has(file.file_path));
    const writer = new ManifestWriter(place, snapshot);
    const isMerge = this.manifests.length >= MERGE_AT;
    const kept: ListedManifest[] = [];
    let merged: ManifestEntry[] = [];
    for (const manifest of this.manifests) {
      const live = manifest.entries.filter((one) => wanted.has(one.data_file.file_path));
      const isSame = live.length === manifest.entries.length;
      if (isSame && (!isMerge || live.length >= MAX_ENTRIES) && live.length > 0) {
        kept.push(manifest);
        continue;
      }
      merged.push(...live.map((one) => ({ ...one, status: EXISTING })));
      if (snapshot.listsDeleted) {
        const gone = manifest.entries.filter((one) => !wanted.has(one.data_file.file_path));
        merged.push(...gone.map((one) => ({ ...one, status: DELETED, snapshot_id: snapshot.id })));
      }
      if (isMerge && merged.length < MAX_ENTRIES) continue;
      kept.push(...(await writer.write(merged)));
      merged = [];
    }
    const fresh = added.map((file) => newEntry(file, snapshot));
    kept.push(...(await writer.write([...merged, ...fresh])));
    const address = await writer.writeList(kept.map(({ file }) => file));
    return new FileList(
      address,
      kept.map(({ file, entries }) => ({
        file,
        entries: entries.filter(({ status }) => status !== DELETED),
      })),
      summaryOf(files, added, removed),
    );
  }
}

/** Writes the manifests of one snapshot. */
class ManifestWriter {
  constructor(
    private readonly place: TablePlace,
    private readonly snapshot: NewSnapshot,
  ) {}

  async write(entries: readonly ManifestEntry[]): Promise<ListedManifest[]> {
    const parts: ListedManifest[] = [];
    for (let from = 0; from < entries.length; from += MAX_ENTRIES) {
      parts.push(await this.writeOne(entries.slice(from, from + MAX_ENTRIES)));
    }
    return parts;
  }

  /** @returns the address of the list. */
  async writeList(manifests: readonly ManifestFile[]): Promise<string> {
    const { id, sequence, parentId } = this.snapshot;
    const content = await MANIFEST_LIST.print(manifests, {
      'snapshot-id': String(id),
      'parent-snapshot-id': parentId ?? 'null',
      'sequence-number': String(sequence),
      'format-version': '2',
    });
    return this.put(`snap-${String(id)}-1-${randomUUID()}.avro`, content);
  }

  private async writeOne(entries: readonly ManifestEntry[]): Promise<ListedManifest> {
    const { id, sequence, specId, schema } = this.snapshot;
    const content = await MANIFEST.print(entries, {
      schema: JSON.stringify(schema),
      'schema-id': String(schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': String(specId),
      'format-version': '2',
      content: 'data',
    });
    const address = await this.put(`${randomUUID()}-m0.avro`, content);
    const filesOf = (status: number): readonly ManifestDataFile[] =>
      entries.filter((one) => one.status === status).map((one) => one.data_file);
    const [added, existing, deleted] = [filesOf(ADDED), filesOf(EXISTING), filesOf(DELETED)];
    const sequences = entries
      .filter((one) => one.status !== DELETED)
      .map((one) => one.sequence_number ?? sequence);
    const file: ManifestFile = {
      manifest_path: address,
      manifest_length: content.length,
      partition_spec_id: specId,
      content: 0,
      sequence_number: sequence,
      min_sequence_number: Math.min(sequence, ...sequences),
      added_snapshot_id: id,
      added_files_count: added.length,
      existing_files_count: existing.length,
      deleted_files_count: deleted.length,
      added_rows_count: sum(added, 'record_count'),
      existing_rows_count: sum(existing, 'record_count'),
      deleted_rows_count: sum(deleted, 'record_count'),
    };
    const resolved = entries.map((one) => withSequence(one, sequence));
    return { file, entries: resolved };
  }

  private async put(name: string, content: Buffer): Promise<string> {
    const { storage, location } = this.place;
    const address = metadataFolder(location) + name;
    await storage.put(address, content);
    return address;
  }
}

/** A file without a sequence number has that of its manifest. */
function withSequence(entry: ManifestEntry, sequence: number): ManifestEntry {
  return {
    ...entry,
    sequence_number: entry.sequence_number ?? sequence,
    file_sequence_number: entry.file_sequence_number ?? sequence,
  };
}

const newEntry = (file: ManifestDataFile, { id }: NewSnapshot): ManifestEntry => ({
  status: ADDED,
  snapshot_id: id,
  sequence_number: null,
  file_sequence_number: null,
  data_file: file,
});

/** Returns the files of a manifest that are not deleted. @throws DestinationError `inconsistent` */
function liveEntries(
  entries: readonly ManifestEntry[],
  manifest: ManifestFile,
  location: string,
): ManifestEntry[] {
  return entries
    .filter((one) => one.status !== DELETED)
    .map((one) => {
      const { file_path: path, record_count: rows, file_size_in_bytes: bytes } = one.data_file;
      requireIn(dataFolder(location), path);
      if (rows < 0 || bytes < 0 || bytes > MAX_FILE_BYTES) throw notOurs();
      if (one.data_file.content !== 0) throw notOurs();
      idRange(one.data_file);
      return withSequence(one, manifest.sequence_number);
    });
}

/** A table can name any object. Only those in its own folders are read or deleted. */
function requireIn(folder: string, address: string): void {
  const name = address.startsWith(folder) ? address.slice(folder.length) : '';
  if (!/^[\w.-]{1,200}$/.test(name) || name.startsWith('.')) throw notOurs();
}

const notOurs = (): DestinationError =>
  new DestinationError('inconsistent', 'The table has files that this sync has not written.');

/** Returns the ids of a file's rows. @throws DestinationError `inconsistent` if it has no bounds. */
function idRange(file: ManifestDataFile): Pick<DataFile, 'fromId' | 'toId'> {
  if (file.record_count === 0) return { fromId: 0, toId: 0 };
  const fromId = readBound(file.lower_bounds, ID_FIELD);
  const toId = readBound(file.upper_bounds, ID_FIELD);
  if (fromId === null || toId === null || fromId > toId) throw notOurs();
  return { fromId, toId };
}

/** Returns a file as a sync uses it. */
export function readDataFile(file: ManifestDataFile): DataFile {
  return {
    name: file.file_path,
    rows: file.record_count,
    bytes: file.file_size_in_bytes,
    // Each column has a count, also if all of its values are missing.
    fieldIds: (file.value_counts ?? []).map(({ key }) => key),
    ...idRange(file),
  };
}

function sum(
  files: readonly ManifestDataFile[],
  property: 'record_count' | 'file_size_in_bytes',
): number {
  return files.reduce((total, file) => total + file[property], 0);
}

/** Returns the summary of a snapshot. */
function summaryOf(
  files: readonly ManifestDataFile[],
  added: readonly ManifestDataFile[],
  removed: readonly ManifestDataFile[],
): Record<string, string> {
  const changed = added.length > 0 ? 'overwrite' : 'delete';
  const counts: Readonly<Record<string, number>> = {
    'added-data-files': added.length,
    'deleted-data-files': removed.length,
    'added-records': sum(added, 'record_count'),
    'deleted-records': sum(removed, 'record_count'),
    'added-files-size': sum(added, 'file_size_in_bytes'),
    'removed-files-size': sum(removed, 'file_size_in_bytes'),
    'total-data-files': files.length,
    'total-records': sum(files, 'record_count'),
    'total-files-size': sum(files, 'file_size_in_bytes'),
    'total-delete-files': 0,
    'total-position-deletes': 0,
    'total-equality-deletes': 0,
  };
  return {
    operation: removed.length === 0 ? 'append' : changed,
    ...Object.fromEntries(Object.entries(counts).map(([key, value]) => [key, String(value)])),
  };
}

/**
 * Returns the addresses of what a snapshot has and the next one has not: the list itself, manifests
 * and data files.
 * @throws DestinationError `inconsistent` if a sync has not written both.
 */
export async function listRemovals(
  { storage, location }: TablePlace,
  address: string,
  nextAddress: string,
): Promise<string[]> {
  const read = async (list: string): Promise<readonly ManifestFile[]> => {
    requireIn(metadataFolder(location), list);
    const manifests = await MANIFEST_LIST.read(await storage.get(list, MAX_AVRO_BYTES), {
      records: MAX_MANIFESTS,
      bytes: MAX_AVRO_BYTES,
    });
    for (const { manifest_path: path } of manifests) requireIn(metadataFolder(location), path);
    return manifests;
  };
  const [before, after] = [await read(address), await read(nextAddress)];
  const known = new Set(before.map((manifest) => manifest.manifest_path));
  const kept = new Set(after.map((manifest) => manifest.manifest_path));
  const manifests = [...known].filter((path) => !kept.has(path));
  const files: string[] = [];
  const left = { records: MAX_FILES, bytes: MAX_MANIFEST_BYTES };
  for (const manifest of after) {
    if (manifest.deleted_files_count === 0 || known.has(manifest.manifest_path)) continue;
    const content = await storage.get(manifest.manifest_path, MAX_AVRO_BYTES);
    for (const { status, data_file: file } of await MANIFEST.read(content, left)) {
      if (status !== DELETED) continue;
      requireIn(dataFolder(location), file.file_path);
      files.push(file.file_path);
    }
  }
  return [address, ...manifests, ...files];
}
