import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** Advisory lock of the demo. No other code uses this number. */
const LOCK: Statement = { name: 'demo-lock', text: 'SELECT pg_advisory_xact_lock(4209732)' };

@Injectable()
export class DemoRepository {
  constructor(private readonly database: Database) {}

  /** Locks the demo until the end of the transaction, so that concurrent starts create it once. */
  async lock(): Promise<void> {
    await this.database.run(LOCK);
  }
}
