import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How often a key was used on one day, in UTC. */
@Entity('api_key_usage')
@Index('api_key_usage_day', ['day'])
export class ApiKeyUsageEntity {
  @PrimaryColumn('uuid', { name: 'key_id', primaryKeyConstraintName: 'api_key_usage_pkey' })
  keyId!: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'api_key_usage_pkey' })
  day!: string;

  @Column('bigint')
  calls!: number;

  /** Of the calls, those that were answered from 400 to 499. */
  @Column('bigint')
  refusals!: number;
}
