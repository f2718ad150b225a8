import { spawnSync } from 'node:child_process';

/** Replaces `curl`: prints the number of its arguments, then each argument, all ended by a NUL. */
const TELLING = `curl() { printf '%s\\0' "$#" "$@"; }`;
const SILENT = 'curl() { :; }';

/**
 * Parses a block with a real shell, so that quotes and variables work as for a reader. No program
 * other than `curl` can be called.
 * @param before Blocks executed before this one. Only the variables and functions that they set
 *   count.
 * @returns the arguments of each `curl` call in the block.
 */
export function curlsOf(before: string, block: string): string[][] {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-eu'], {
    input: [SILENT, before, TELLING, block, ''].join('\n'),
    env: { PATH: '/nonexistent' },
    encoding: 'utf8',
  });
  if (status !== 0 || stderr !== '') throw new Error(`The shell rejects ${block}: ${stderr}`);
  const words = stdout.split('\0').slice(0, -1);
  const curls: string[][] = [];
  while (words.length > 0) curls.push(words.splice(0, Number(words.shift())));
  return curls;
}
