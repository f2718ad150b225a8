import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory with little space. Only root can mount one. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  static mount(mebibytes: number): SmallDisk {
    const disk = new SmallDisk(mkdtempSync(join(tmpdir(), 'small-disk-')));
    const options = `size=${String(mebibytes)}m,mode=755`;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk.directory], {
        stdio: 'pipe',
      });
    } catch (error) {
      rmSync(disk.directory, { recursive: true });
      throw error;
    }
    return disk;
  }

  resize(mebibytes: number): void {
    const options = `remount,size=${String(mebibytes)}m`;
    execFileSync('mount', ['-o', options, this.directory], { stdio: 'pipe' });
  }

  /** Lets nobody write to the disk, or lets them again. */
  setReadOnly(isReadOnly: boolean): void {
    const options = `remount,${isReadOnly ? 'ro' : 'rw'}`;
    execFileSync('mount', ['-o', options, this.directory], { stdio: 'pipe' });
  }

  remove(): void {
    execFileSync('umount', ['--lazy', this.directory], { stdio: 'pipe' });
    rmSync(this.directory, { recursive: true });
  }
}

/**
 * `describe` if this process may mount a file system. Otherwise skips the suite and says so, in CI,
 * too, where containers may not be allowed to.
 */
export const describeWithDisk: (name: string, suite: () => void) => void = mayMount()
  ? describe
  : (name, suite) => {
      describe.skip(`${name} (skipped: this process may not mount a file system)`, suite);
    };

function mayMount(): boolean {
  try {
    SmallDisk.mount(1).remove();
    return true;
  } catch {
    return false;
  }
}
