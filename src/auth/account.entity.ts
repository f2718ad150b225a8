import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An account. Users, workspaces and everything in them belong to one account. */
@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'accounts_pkey' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('boolean', { default: false })
  suspended!: boolean;

  /**
   * Whether all users need a second factor. Sessions of users without one can call only the routes that are
   * marked with `ServesWithoutSecondFactor`.
   */
  @Column('boolean', { name: 'requires_second_factor', default: false })
  requiresSecondFactor!: boolean;

  /**
   * If set, users sign in only by a provider of the account, except this one, and other sessions are not valid.
   * `null` if there is no such rule.
   */
  @Column('uuid', { name: 'exempt_user_id', nullable: true })
  exemptUserId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
