import type { Statement } from './statement';

/** Asks nothing but for an answer. */
export const PROBE: Statement = { name: 'health-probe', text: 'SELECT 1 AS one' };
