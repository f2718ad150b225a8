import { types, TypeOverrides } from 'pg';

/**
 * Parses `bigint` as a number: counters and ids always stay below 2^53. (Numbers in users' rows are
 * not affected, because rows are stored as `jsonb`.)
 */
export const typeParsers = new TypeOverrides();
typeParsers.setTypeParser(types.builtins.INT8, Number);
