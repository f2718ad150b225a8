import type { Statement } from './statement';

/** Cheapest possible query, to check that PostgreSQL responds. */
export const PROBE: Statement = { name: 'health-probe', text: 'SELECT 1 AS one' };
