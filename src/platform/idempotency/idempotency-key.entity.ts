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
