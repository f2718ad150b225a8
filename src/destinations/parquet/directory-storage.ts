import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DestinationError } from '../destination';
import { type DataFile, VersionConflictError } from '../files/file-catalog';
import { diskError } from '../files/parquet-error';
import type { StoredDocument, StoredFile, TableStorage } from './document-catalog';
import {
  GRACE_MS,
  invalidDocument,
  isFileName,
  MANIFEST_NAME,
  MAX_DOCUMENT_BYTES,
} from './table-document';

/** Directory of the documents. */
const VERSIONS = '_versions';
const VERSION_NAME = /^(\d{16})\.json$/;

/**
 * The directory of a table on a local disk. Each document is a file of its own in `_versions`, named by
 * a number that rises, and the highest one counts. A new one gets its name by a hard link, which fails
 * if the name is taken: so of two workers that replace the same document, one fails. A copy of the
 * current one is `_manifest.json`, for readers.
 */
export class DirectoryStorage implements TableStorage {
  private readonly versions: string;

  constructor(
    private readonly directory: string,
    private readonly name: string,
    /** The directory, as the owner of the connection knows it. */
    readonly place: string,
  ) {
    this.versions = join(directory, VERSIONS);
  }

  async readDocument(): Promise<StoredDocument | null> {
    // A document can be deleted between both calls, but only after a higher one was stored.
    for (;;) {
      const serial = (await this.listSerials()).at(-1);
      if (serial === undefined) return null;
      const text = await this.readVersion(serial);
      if (text !== null) return { version: String(serial), text };
    }
  }

  async replaceDocument(text: string, base: string | null): Promise<string> {
    const serial = Number(base ?? 0) + 1;
    const temporary = join(this.versions, `${randomUUID()}.tmp`);
    try {
      await mkdir(this.versions, { recursive: true, mode: 0o700 });
      await writeDurably(temporary, text);
      await link(temporary, this.pathOf(serial));
      await syncDirectory(this.versions);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw new VersionConflictError();
      throw diskError(error);
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    // The name was free because the document that had it was replaced long ago.
    if ((await this.listSerials()).some((other) => other > serial))
      throw new VersionConflictError();
    await this.publish(serial);
    return String(serial);
  }

  async put(path: string, name: string): Promise<void> {
    try {
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      await linkOrCopy(path, join(this.directory, name));
      await sync(join(this.directory, name));
      await syncDirectory(this.directory);
    } catch (error) {
      throw diskError(error);
    }
  }

  async get({ name, bytes }: DataFile, path: string): Promise<void> {
    const source = join(this.directory, name);
    try {
      const { size } = await stat(source);
      if (size !== bytes) throw this.gone();
      await linkOrCopy(source, path);
    } catch (error) {
      if (error instanceof DestinationError) throw error;
      throw codeOf(error) === 'ENOENT' ? this.gone() : diskError(error);
    }
  }

  async list(): Promise<StoredFile[]> {
    const names = await this.namesIn(this.directory);
    const files: StoredFile[] = [];
    for (const name of names) {
      const found = await stat(join(this.directory, name)).catch(() => null);
      if (found) files.push({ name, bytes: found.size, modifiedAtMs: found.mtimeMs });
    }
    // Documents and what was left behind of them are not files of the table.
    const isOther = ({ name }: StoredFile): boolean => name !== VERSIONS && name !== MANIFEST_NAME;
    return files.filter(isOther);
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names.filter(isFileName)) {
      await rm(join(this.directory, name), { force: true }).catch(() => undefined);
    }
  }

  async removeAll(): Promise<void> {
    const files = (await this.list()).map(({ name }) => name);
    await this.remove(files);
    try {
      await rm(join(this.directory, MANIFEST_NAME), { force: true });
      await rm(this.versions, { recursive: true, force: true });
      // Other files of the directory are not ours.
      const isEmpty = (await this.namesIn(this.directory)).length === 0;
      if (isEmpty) await rm(this.directory, { recursive: true, force: true });
    } catch (error) {
      throw diskError(error);
    }
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  /**
   * Makes a document the one that readers find. A worker that was frozen before could put an older one
   * there, so it looks for newer ones afterwards. Deletes documents that were replaced long ago.
   */
  private async publish(serial: number): Promise<void> {
    let current = serial;
    for (;;) {
      const temporary = join(this.versions, `${randomUUID()}.tmp`);
      try {
        await copyFile(this.pathOf(current), temporary);
        await rename(temporary, join(this.directory, MANIFEST_NAME));
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        if (codeOf(error) !== 'ENOENT') throw diskError(error);
      }
      const serials = await this.listSerials();
      const newest = serials.at(-1) ?? current;
      if (newest === current) {
        await this.removeOld(current);
        return;
      }
      current = newest;
    }
  }

  /** Removes documents that were replaced long ago, and what was left behind of others. */
  private async removeOld(current: number): Promise<void> {
    for (const name of await this.namesIn(this.versions)) {
      const path = join(this.versions, name);
      const found = await stat(path).catch(() => null);
      const isOld = found !== null && Date.now() - found.mtimeMs >= GRACE_MS;
      const isOurs = name.endsWith('.tmp') || VERSION_NAME.test(name);
      if (!isOld || !isOurs || path === this.pathOf(current)) continue;
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  private async listSerials(): Promise<number[]> {
    const names = await this.namesIn(this.versions);
    return names
      .flatMap((name) => {
        const [, digits] = VERSION_NAME.exec(name) ?? [];
        return digits === undefined ? [] : [Number(digits)];
      })
      .sort((one, other) => one - other);
  }

  private async readVersion(serial: number): Promise<string | null> {
    const path = this.pathOf(serial);
    try {
      const { size } = await stat(path);
      if (size > MAX_DOCUMENT_BYTES) throw invalidDocument(this.name);
      return await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof DestinationError) throw error;
      if (codeOf(error) === 'ENOENT') return null;
      throw diskError(error);
    }
  }

  private async namesIn(directory: string): Promise<string[]> {
    try {
      return await readdir(directory);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw diskError(error);
    }
  }

  private pathOf(serial: number): string {
    return join(this.versions, `${String(serial).padStart(16, '0')}.json`);
  }

  private gone(): DestinationError {
    return new DestinationError(
      'inconsistent',
      `A file of table "${this.name}" is missing or was changed. It must be loaded again.`,
    );
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Gives a file a second name, or copies it if the file system has no hard links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(codeOf(error) ?? ''))
      throw error;
    await copyFile(from, to);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names of a directory durable, where the file system can. */
async function syncDirectory(path: string): Promise<void> {
  await sync(path).catch((error: unknown) => {
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error;
  });
}
