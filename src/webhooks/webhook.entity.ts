import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
} from 'typeorm';
import { WorkspaceEntity } from '../workspaces/workspace.entity';
import type { SubscribedType } from './event-type';

/** Whether events contain rows (`full`) or only their ids (`thin`). */
export const PAYLOADS = ['full', 'thin'] as const;
export type Payload = (typeof PAYLOADS)[number];

/**
 * Why a webhook is disabled: a user disabled it, the endpoint returned 410, deliveries failed for
 * WEBHOOK_DISABLE_AFTER_HOURS, the filter is no longer valid for the columns, or an operator
 * disabled it.
 */
export const DISABLED_REASONS = ['user', 'gone', 'failing', 'filter', 'operator'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An endpoint that receives the changes of a workspace's datagrids. */
@Entity('webhooks')
@Index('webhooks_workspace', ['workspaceId', 'id'])
@Index('webhooks_account', ['accountId'])
export class WebhookEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhooks_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @ManyToOne(() => WorkspaceEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'webhooks_workspace_id_fkey' })
  workspace!: WorkspaceEntity;

  @Column('text')
  url!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('text', { array: true })
  events!: SubscribedType[];

  /** `null` for all datagrids of the workspace, also future ones. */
  @Column('uuid', { name: 'datagrid_ids', array: true, nullable: true })
  datagridIds!: string[] | null;

  /** Text of a `StoredFilter`; `null` if rows are not filtered. */
  @Column('text', { nullable: true })
  filter!: string | null;

  @Column('text', { default: 'full' })
  payload!: Payload;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: DisabledReason | null;

  /** Key of the signatures, sealed or in clear. See `SigningSecrets`. */
  @Column('bytea')
  secret!: Buffer;

  /** Key before the last rotation, which also signs until `previousSecretUntil`. */
  @Column('bytea', { name: 'previous_secret', nullable: true })
  previousSecret!: Buffer | null;

  @Column({
    type: 'timestamptz',
    name: 'previous_secret_until',
    precision: 3,
    nullable: true,
  })
  previousSecretUntil!: Date | null;

  /** At most 10 seconds older than the last successful delivery. */
  @Column({ type: 'timestamptz', name: 'last_success_at', precision: 3, nullable: true })
  lastSuccessAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'last_error_at', precision: 3, nullable: true })
  lastErrorAt!: Date | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  /**
   * Failed deliveries since the last successful one, over all datagrids. Senders use it to choose
   * places. The health that users see is that of the lanes.
   */
  @Column('integer', { name: 'consecutive_failures', default: 0 })
  consecutiveFailures!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Incremented by every change except those of the health. */
  @Column('integer', { default: 1 })
  version!: number;
}

/**
 * The position of a webhook in the change log of one datagrid. Events of a lane are delivered one
 * after another.
 */
@Entity('webhook_lanes')
@Index('webhook_lanes_datagrid', ['datagridId'])
@Index('webhook_lanes_open', ['webhookId', 'nextAttemptAt'], { where: 'is_open' })
export class WebhookLaneEntity {
  @PrimaryColumn('uuid', { name: 'webhook_id', primaryKeyConstraintName: 'webhook_lanes_pkey' })
  webhookId!: string;

  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'webhook_lanes_pkey' })
  datagridId!: string;

  @ManyToOne(() => WebhookEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'webhook_lanes_webhook_id_fkey' })
  webhook!: WebhookEntity;

  /** Revision up to which the log has been read. */
  @Column('bigint')
  revision!: number;

  /** The last part that has been read, if the revision has more; `null` if it has been read. */
  @Column('integer', { nullable: true })
  part!: number | null;

  /** Time of the write of `revision`; `null` if it is not known. Proves that the log is the same. */
  @Column({ type: 'timestamptz', name: 'revision_at', precision: 3, nullable: true })
  revisionAt!: Date | null;

  /** Whether the next event is `changes.gap`, because an operator has restored a backup. */
  @Column('boolean', { name: 'has_gap', default: false })
  hasGap!: boolean;

  /** Number of the last stored event. Events after `lastDelivered` are waiting. */
  @Column('bigint', { name: 'last_event', default: 0 })
  lastEvent!: number;

  @Column('bigint', { name: 'last_delivered', default: 0 })
  lastDelivered!: number;

  /** Failed attempts of the first waiting event. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** Time of the first of them. */
  @Column({ type: 'timestamptz', name: 'failing_since', precision: 3, nullable: true })
  failingSince!: Date | null;

  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3, default: () => 'now()' })
  nextAttemptAt!: Date;

  /**
   * Whether senders look for the lane: it has something to deliver, and nobody delivers it. A lane is
   * claimed by a write to its datagrid without being opened. If its sender is killed, it is opened
   * after the lease.
   */
  @Column('boolean', { name: 'is_open', default: false })
  isOpen!: boolean;

  /** Incremented whenever a sender claims the lane. Statements of earlier senders change nothing. */
  @Column('integer', { default: 0 })
  token!: number;

  /** Time until which no other sender claims the lane. */
  @Column({ type: 'timestamptz', name: 'leased_until', precision: 3, default: () => 'now()' })
  leasedUntil!: Date;
}

/** An event that has not been delivered yet. Every attempt sends the same body. */
@Entity('webhook_events')
export class WebhookEventEntity {
  @PrimaryColumn('uuid', { name: 'webhook_id', primaryKeyConstraintName: 'webhook_events_pkey' })
  webhookId!: string;

  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'webhook_events_pkey' })
  datagridId!: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'webhook_events_pkey' })
  sequence!: number;

  @ManyToOne(() => WebhookEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'webhook_events_webhook_id_fkey' })
  webhook!: WebhookEntity;

  /** Value of the `webhook-id` header. */
  @Column('text', { name: 'message_id' })
  messageId!: string;

  @Column('text')
  type!: string;

  @Column('bigint', { name: 'from_revision' })
  fromRevision!: number;

  @Column('bigint')
  revision!: number;

  @Column({ type: 'timestamptz', name: 'changed_at', precision: 3 })
  changedAt!: Date;

  @Column('text')
  body!: string;
}

/** One attempt to deliver an event. */
@Entity('webhook_attempts')
@Index('webhook_attempts_at', ['at'])
export class WebhookAttemptEntity {
  @PrimaryColumn('uuid', { name: 'webhook_id', primaryKeyConstraintName: 'webhook_attempts_pkey' })
  webhookId!: string;

  /** Sorts by time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhook_attempts_pkey' })
  id!: string;

  @ManyToOne(() => WebhookEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'webhook_attempts_webhook_id_fkey' })
  webhook!: WebhookEntity;

  @Column('text', { name: 'message_id' })
  messageId!: string;

  @Column('text')
  type!: string;

  /** `null` for a test event. */
  @Column('uuid', { name: 'datagrid_id', nullable: true })
  datagridId!: string | null;

  @Column('bigint', { nullable: true })
  revision!: number | null;

  /** Number of the attempt, from 1. */
  @Column('integer')
  attempt!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column('integer', { name: 'duration_ms' })
  durationMs!: number;

  @Column('integer', { nullable: true })
  status!: number | null;

  @Column('text', { nullable: true })
  error!: string | null;

  /** Beginning of the body that was sent. */
  @Column('text')
  request!: string;

  @Column('text')
  response!: string;
}
