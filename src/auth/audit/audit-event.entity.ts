import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Via } from './actor';
import type { AuditAction } from './audit-action';

/** Something that was done in an account. Without foreign keys: what it tells of may be gone. */
@Entity('audit_events')
@Index('audit_events_at', ['at'])
export class AuditEventEntity {
  @PrimaryColumn('uuid', { name: 'account_id', primaryKeyConstraintName: 'audit_events_pkey' })
  accountId!: string;

  /** Sorts by time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'audit_events_pkey' })
  id!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column('text')
  action!: AuditAction;

  @Column('text')
  via!: Via;

  /** Who did it. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;

  @Column('text', { name: 'target_kind' })
  targetKind!: string;

  @Column('uuid', { name: 'target_id' })
  targetId!: string;

  /** As it was called then; `null` where it has none. */
  @Column('text', { name: 'target_name', nullable: true })
  targetName!: string | null;

  /** Never a secret, and nothing of what rows hold. */
  @Column('jsonb', { default: () => "'{}'" })
  details!: Readonly<Record<string, string | number | null>>;

  /** Of a sign-in: where it came from. */
  @Column('text', { nullable: true })
  address!: string | null;
}
