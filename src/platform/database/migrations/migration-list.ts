import { InitialSchema1763683200000 } from './1763683200000-initial-schema';
import { Idempotency1763690400000 } from './1763690400000-idempotency';

/** In order. A migration that has been released is never changed. */
export const MIGRATIONS = [InitialSchema1763683200000, Idempotency1763690400000];
