import { spawnSync } from 'node:child_process';

/** In place of the program: prints how many arguments it got, and them, each ended by a NUL. */
const TELLING = `curl() { printf '%s\\0' "$#" "$@"; }`;
const SILENT = 'curl() { :; }';

/**
 * Lets a real shell read a block, so that quotes and variables mean what they mean to a reader.
 * No other program than `curl` can be called.
 * @param before Blocks that were executed before; only what they set counts.
 * @returns the arguments of each `curl` of the block.
 */
export function curlsOf(before: string, block: string): string[][] {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-eu'], {
    input: [SILENT, before, TELLING, block, ''].join('\n'),
    env: { PATH: '/nonexistent' },
    encoding: 'utf8',
  });
  if (status !== 0 || stderr !== '') throw new Error(`The shell refuses ${block}: ${stderr}`);
  const words = stdout.split('\0').slice(0, -1);
  const curls: string[][] = [];
  while (words.length > 0) curls.push(words.splice(0, Number(words.shift())));
  return curls;
}
