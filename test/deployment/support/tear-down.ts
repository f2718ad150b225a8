import { revokeCallers, type CreatedCallers } from './callers';
import { variable } from './deployment';
import { sweep } from './sweep';

/** Deletes everything that the run has created, even if tests have failed. */
export default async function tearDown(): Promise<void> {
  try {
    const left = await sweep(`${variable('E2E_RUN')} `);
    if (left.length > 0) throw new Error(`These could not be removed: ${left.join(', ')}.`);
  } finally {
    await revokeCallers(JSON.parse(variable('E2E_CREATED')) as CreatedCallers);
  }
}
