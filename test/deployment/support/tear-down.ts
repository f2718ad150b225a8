import { takeBack, type Made } from './callers';
import { variable } from './deployment';
import { sweep } from './sweep';

/** Leaves nothing behind, whether tests have failed or not. */
export default async function tearDown(): Promise<void> {
  try {
    const left = await sweep(`${variable('E2E_RUN')} `);
    if (left.length > 0) throw new Error(`These could not be removed: ${left.join(', ')}.`);
  } finally {
    await takeBack(JSON.parse(variable('E2E_MADE')) as Made);
  }
}
