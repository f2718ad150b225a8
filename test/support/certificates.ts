import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Pair {
  readonly cert: string;
  readonly private: string;
}

/** Returns a certificate for a host name, signed by an authority or by itself. */
export function newPair(commonName: string, authority?: Pair): Promise<Pair> {
  return generate([{ name: 'commonName', value: commonName }], {
    algorithm: 'sha256',
    ...(authority && { ca: { key: authority.private, cert: authority.cert } }),
  });
}

/** Returns the certificate of an authority, which can sign others. */
export function newAuthority(): Promise<Pair> {
  return generate([{ name: 'commonName', value: 'Test authority' }], {
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
}

/**
 * A secret as Kubernetes mounts it: the files are links through `..data`, a link to a directory,
 * which is replaced as a whole.
 */
export class MountedSecret {
  private serial = 0;

  private constructor(private readonly root: string) {}

  static async create(pair: Pair): Promise<MountedSecret> {
    const secret = new MountedSecret(await mkdtemp(join(tmpdir(), 'datagrid-tls-')));
    await secret.swap(pair);
    await symlink(join('..data', 'tls.crt'), secret.certFile);
    await symlink(join('..data', 'tls.key'), secret.keyFile);
    return secret;
  }

  get certFile(): string {
    return join(this.root, 'tls.crt');
  }

  get keyFile(): string {
    return join(this.root, 'tls.key');
  }

  async swap(pair: Pair): Promise<void> {
    const name = `..${String((this.serial += 1))}`;
    await mkdir(join(this.root, name));
    await writeFile(join(this.root, name, 'tls.crt'), pair.cert);
    await writeFile(join(this.root, name, 'tls.key'), pair.private);
    await symlink(name, join(this.root, '..data_tmp'));
    await rename(join(this.root, '..data_tmp'), join(this.root, '..data'));
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true });
  }
}
