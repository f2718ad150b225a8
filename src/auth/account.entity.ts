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

  /** Whether users who have no second factor may only set one up when they are signed in. */
  @Column('boolean', { name: 'requires_second_factor', default: false })
  requiresSecondFactor!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
