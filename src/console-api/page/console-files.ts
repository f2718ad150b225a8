import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FileForms } from '../../platform/http/file-response';
import { packageDirectory } from '../../platform/process/package-directory';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** A file that the console's page loads. */
export interface Asset {
  readonly forms: FileForms;
  readonly type: string;
  /** Strong validator, including quotes. */
  readonly etag: string;
}

/**
 * The built console, held in memory (a few megabytes). Names are looked up in a map and never used
 * as paths, so that no other file can be read.
 */
@Injectable()
export class ConsoleFiles implements OnModuleInit {
  private pageText: string | null = null;
  private sharedPageText: string | null = null;
  private assets: ReadonlyMap<string, Asset> = new Map();

  async onModuleInit(): Promise<void> {
    await this.readFrom(join(packageDirectory(), 'dist/console'));
  }

  /**
   * Reads the built console from a directory. If it has not been built, there is no page and no
   * asset.
   */
  async readFrom(directory: string): Promise<void> {
    this.pageText = await readPage(join(directory, 'index.html'));
    this.sharedPageText = await readPage(join(directory, 'shared.html'));
    this.assets = await readAssets(join(directory, 'assets'));
  }

  /** The HTML page of the console, with a placeholder for a nonce; `null` if it has not been built. */
  get page(): string | null {
    return this.pageText;
  }

  /** The HTML page of public links, in the same form. */
  get sharedPage(): string | null {
    return this.sharedPageText;
  }

  findAsset(name: string): Asset | null {
    return this.assets.get(name) ?? null;
  }
}

async function readPage(path: string): Promise<string | null> {
  return existsSync(path) ? readFile(path, 'utf8') : null;
}

async function readAssets(directory: string): Promise<Map<string, Asset>> {
  const names = existsSync(directory) ? await readdir(directory) : [];
  const bytes = new Map<string, Buffer>();
  for (const name of names) bytes.set(name, await readFile(join(directory, name)));
  const assets = new Map<string, Asset>();
  for (const [name, identity] of bytes) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const [br, gzip] = [bytes.get(`${name}.br`), bytes.get(`${name}.gz`)];
    const etag = `"${hash('sha256', identity, 'base64url').slice(0, 27)}"`;
    assets.set(name, { forms: { identity, ...(br && { br }), ...(gzip && { gzip }) }, type, etag });
  }
  return assets;
}
