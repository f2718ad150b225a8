import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { collect } from '../built-program';
import { eventually } from '../eventually';

/** Ends the output of a block. It is in no response. */
const END = '\u001e';

/** A shell into which blocks are pasted one after another, as a reader does. */
export class Shell {
  private readonly stdout: () => string;
  private readonly stderr: () => string;
  private readLength = 0;

  private constructor(private readonly child: ChildProcess) {
    [this.stdout, this.stderr] = [collect(child.stdout), collect(child.stderr)];
  }

  /** @param env Environment, in addition to `PATH`. */
  static start(env: Readonly<Record<string, string>>, program = 'sh'): Shell {
    const { PATH = '' } = process.env;
    // Rejects variables that are not set.
    return new Shell(spawn(program, ['-u'], { env: { PATH, ...env } }));
  }

  /**
   * Runs a block.
   * @returns its output.
   * @throws Error if it writes to standard error, or ends the shell.
   */
  async run(block: string): Promise<string> {
    const marker = END.charCodeAt(0).toString(8).padStart(3, '0');
    this.child.stdin?.write(`${block}\nprintf '\\${marker}'\n`);
    const end = await eventually(() => {
      const at = this.stdout().indexOf(END, this.readLength);
      return this.stderr() !== '' || this.child.exitCode !== null || at >= 0 ? { at } : undefined;
    });
    if (this.stderr() !== '' || end.at < 0) {
      throw new Error(`The shell rejects ${block}: ${this.stderr()}`);
    }
    const output = this.stdout().slice(this.readLength, end.at);
    this.readLength = end.at + END.length;
    return output;
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.stdin?.end();
    await closed;
  }
}
