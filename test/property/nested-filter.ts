import * as fc from 'fast-check';

/** Filters of conditions that `$and`, `$or` and `$not` nest. */
export function nested(condition: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.letrec<{ filter: object }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      condition,
      fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((parts) => ({ $and: parts })),
      fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((parts) => ({ $or: parts })),
      tie('filter').map((part) => ({ $not: part })),
    ),
  })).filter;
}
