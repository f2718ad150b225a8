#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ClientFailure, WrongUsage } from './failure';
import { clientProgram } from './program';

/** The command line of integrators: `datagrid …`. Exits with 0, 1 where it failed, 2 for a wrong call. */
async function main(): Promise<void> {
  try {
    await clientProgram().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // What is wrong with a call has been told already, with how to call.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isExplained = error instanceof ClientFailure || error instanceof WrongUsage;
  const text = isExplained ? error.message : String((error as Error).stack);
  process.stderr.write(`error: ${text}\n`);
  return error instanceof WrongUsage ? 2 : 1;
}

void main();
