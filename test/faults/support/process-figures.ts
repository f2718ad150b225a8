import { readdir, readFile, readlink } from 'node:fs/promises';

/** Resource use of a process, as reported by the operating system. */
export interface ProcessFigures {
  readonly residentMiB: number;
  readonly sockets: number;
}

export async function processFigures(pid: number): Promise<ProcessFigures> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  const residentKiB = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  const folder = `/proc/${String(pid)}/fd`;
  const targets = await Promise.all(
    // A descriptor may be closed meanwhile.
    (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')),
  );
  const sockets = targets.filter((target) => target.startsWith('socket:')).length;
  return { residentMiB: residentKiB / 1024, sockets };
}
