import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * First response to a request with an idempotency key. It is written in the transaction of the
 * change, so both are stored or neither is.
 */
@Entity('idempotency_keys')
@Index('idempotency_keys_created_at', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn('uuid', { name: 'account_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  accountId!: string;

  /** Owner of the API key. A retry may use another API key of the same owner. */
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  userId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key!: string;

  /** SHA-256 of the request's method, path, query and body. */
  @Column('bytea', { name: 'request_hash' })
  requestHash!: Buffer;

  @Column('smallint')
  status!: number;

  /** Body as sent; `null` if the response had none. */
  @Column('text', { nullable: true })
  body!: string | null;

  @Column('jsonb')
  headers!: Record<string, string>;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

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
