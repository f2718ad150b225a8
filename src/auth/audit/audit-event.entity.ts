import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AuditAction, Via } from './audit-action';

/**
 * An action in an account. Has no foreign keys, because the objects it refers to may be deleted.
 */
@Entity('audit_events')
@Index('audit_events_at', ['at'])
@Index('audit_events_position', ['accountId', 'position', 'id'])
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

  /** User who performed the action. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;

  @Column('text', { name: 'target_kind' })
  targetKind!: string;

  @Column('uuid', { name: 'target_id' })
  targetId!: string;

  /** Name of the target at that time; `null` if it has none. */
  @Column('text', { name: 'target_name', nullable: true })
  targetName!: string | null;

  /** Never contains a secret or row values. */
  @Column('jsonb', { default: () => "'{}'" })
  details!: Readonly<Record<string, string | number | null>>;

  /** Client address, for sign-ins, sign-outs and ended sessions. */
  @Column('text', { nullable: true })
  address!: string | null;

  /** Place in the feed of the account, from 1; `null` until somebody reads the feed. */
  @Column('bigint', { nullable: true })
  position!: number | null;
}

/** Position of the last event in the feed of an account. Its lock lets one reader at a time give positions. */
@Entity('audit_positions')
export class AuditPositionEntity {
  @PrimaryColumn('uuid', { name: 'account_id', primaryKeyConstraintName: 'audit_positions_pkey' })
  accountId!: string;

  @Column('bigint')
  position!: number;
}
