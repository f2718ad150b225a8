import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The first answer to a request that named a key, written in the transaction of its change: either
 * both are there or neither is.
 */
@Entity('idempotency_keys')
@Index('idempotency_keys_created_at', ['createdAt'])
export class IdempotencyKeyEntity {
  @PrimaryColumn('uuid', { name: 'account_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  accountId!: string;

  /** The owner of the API key: a retry may come with another key of theirs. */
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  userId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key!: string;

  /** SHA-256 of the request's method, path, query and body. */
  @Column('bytea', { name: 'request_hash' })
  requestHash!: Buffer;

  @Column('smallint')
  status!: number;

  /** As sent; nothing where the answer had none. */
  @Column('text', { nullable: true })
  body!: string | null;

  @Column('jsonb')
  headers!: Record<string, string>;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
