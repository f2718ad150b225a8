import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Number of requests with a key on one day in UTC. */
@Entity('api_key_usage')
@Index('api_key_usage_day', ['day'])
export class ApiKeyUsageEntity {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_usage_pkey' })
  keyId!: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'api_key_usage_pkey' })
  day!: string;

  @Column('bigint', { name: 'calls' })
  requests!: number;

  /** Requests with a response status from 400 to 499. */
  @Column('bigint', { name: 'refusals' })
  rejections!: number;
}
