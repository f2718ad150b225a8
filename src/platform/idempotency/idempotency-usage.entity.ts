import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Bytes of the responses stored for an account, per hour of storage. Each hour has several
 * counters, so that writes of one account seldom wait for one another.
 */
@Entity('idempotency_usage')
@Index('idempotency_usage_hour', ['hour'])
export class IdempotencyUsageEntity {
  @PrimaryColumn('uuid', { name: 'account_id', primaryKeyConstraintName: 'idempotency_usage_pkey' })
  accountId!: string;

  @PrimaryColumn('timestamptz', {
    precision: 0,
    primaryKeyConstraintName: 'idempotency_usage_pkey',
  })
  hour!: Date;

  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'idempotency_usage_pkey' })
  slot!: number;

  @Column('bigint')
  bytes!: number;
}
