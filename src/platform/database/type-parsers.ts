import { types, TypeOverrides } from 'pg';

/**
 * Counters and ids are `bigint`, and stay below 2^53 by their nature; they come as numbers.
 * (Numbers of users never pass through here: they live in `jsonb`.)
 */
export const typeParsers = new TypeOverrides();
typeParsers.setTypeParser(types.builtins.INT8, Number);
