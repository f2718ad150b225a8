/**
 * Runs `npm test`: builds, then runs the tests with the arguments of the command. Lint and the check of
 * types run beside them with a lower priority, because tests often wait. Their output follows that of
 * the tests. Fails if any of them fails.
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import process from 'node:process';

/** Runs a command and returns its exit code. */
function run(command, args) {
  return ended(spawn(command, args, { stdio: 'inherit' }));
}

/** Runs an npm script beside the tests. Returns its exit code and its output. */
async function runBeside(script) {
  const child = spawn('npm', ['run', '-s', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => output.push(part));
  }
  return { script, status: await ended(child), output: Buffer.concat(output).toString() };
}

function ended(child) {
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function test() {
  const built = await run('node', ['tools/build-when-changed.mjs', 'service', 'console']);
  if (built !== 0) return built;
  const described = await run('node', ['dist/src/cli/openapi.js', '--check']);
  if (described !== 0) return described;
  return run('npx', ['jest', ...process.argv.slice(2)]);
}

const checks = ['lint', 'typecheck'].map(runBeside);
let status = await test();
for (const check of await Promise.all(checks)) {
  process.stderr.write(check.output);
  if (check.status === 0) continue;
  process.stderr.write(`npm run ${check.script} failed.\n`);
  status ||= check.status;
}
process.exitCode = status;
