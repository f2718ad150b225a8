import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/statement';

/** The number stands for "the demo is being made"; nothing else locks it. */
const LOCK: Statement = { name: 'demo-lock', text: 'SELECT pg_advisory_xact_lock(4209732)' };

@Injectable()
export class DemoRepository {
  constructor(private readonly database: Database) {}

  /** Until the end of the transaction: of two services that start together, one makes the demo. */
  async lock(): Promise<void> {
    await this.database.run(LOCK);
  }
}
