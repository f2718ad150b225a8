#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ClientFailure, WrongUsage } from './failure';
import { clientProgram } from './program';

/**
 * Entry point of the command-line client for integrators: `datagrid …`. Exits with 0 on success, 1
 * on failure, and 2 on a usage error.
 */
async function main(): Promise<void> {
  try {
    await clientProgram().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // Commander has already printed usage errors, together with the usage help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isExplained = error instanceof ClientFailure || error instanceof WrongUsage;
  const text = isExplained ? error.message : String((error as Error).stack);
  process.stderr.write(`error: ${text}\n`);
  return error instanceof WrongUsage ? 2 : 1;
}

void main();
