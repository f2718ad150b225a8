import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request that was sent with an API key. Has no foreign keys, because keys may be deleted. */
@Entity('api_key_requests')
export class KeyRequestEntity {
  @PrimaryColumn('uuid', { name: 'account_id', primaryKeyConstraintName: 'api_key_requests_pkey' })
  accountId!: string;

  /** Sorts by `at`. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_key_requests_pkey' })
  id!: string;

  /** Time at which the request arrived. */
  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  /** User who owns the key. */
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'key_id' })
  keyId!: string;

  @Column('text')
  method!: string;

  /** Pattern of the route, such as `/api/v1/public/me`; `null` if no route matches. */
  @Column('text', { nullable: true })
  route!: string | null;

  /** `null` if the connection ended before a response began. */
  @Column('smallint', { nullable: true })
  status!: number | null;

  @Column('real', { name: 'duration_ms' })
  durationMs!: number;

  @Column('text', { name: 'request_id' })
  requestId!: string;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  /** Whether the connection ended before the response was sent completely. */
  @Column('boolean')
  aborted!: boolean;
}

/** Number of requests with a key in one hour that are not in the request log. */
@Entity('api_key_request_gaps')
export class KeyRequestGapEntity {
  @PrimaryColumn('uuid', {
    name: 'account_id',
    primaryKeyConstraintName: 'api_key_request_gaps_pkey',
  })
  accountId!: string;

  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_request_gaps_pkey' })
  keyId!: string;

  @PrimaryColumn({
    type: 'timestamptz',
    precision: 0,
    primaryKeyConstraintName: 'api_key_request_gaps_pkey',
  })
  hour!: Date;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('bigint', { name: 'left_out' })
  leftOut!: number;
}
