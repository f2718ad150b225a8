import 'reflect-metadata';
import { adminProgram } from './admin-program';
import { reportFailure } from './outcome';

/** Entry point of the operator commands: `npm run -s admin -- …`. */
async function main(): Promise<void> {
  try {
    await adminProgram().parseAsync();
  } catch (error) {
    process.exitCode = reportFailure(error, process.argv.includes('--json'));
  }
}

void main();
