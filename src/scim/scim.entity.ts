import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { AccountEntity } from '../auth/account.entity';
import { UserEntity } from '../auth/user/user.entity';
import type { Role, WorkspaceRole } from '../common/permission/permission';
import type { Resource } from './scim-schema';

/** Roles in single workspaces by their ids. */
export type WorkspaceRoles = Readonly<Record<string, WorkspaceRole>>;

/** What the directory of an account says about one of its users. */
@Entity('scim_users')
@Unique('scim_users_user_name', ['accountId', 'userNameKey'])
@Index('scim_users_external_id', ['accountId', 'externalId'])
export class ScimUserEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'scim_users_pkey' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'scim_users_user_id_fkey' })
  user!: UserEntity;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text', { name: 'user_name' })
  userName!: string;

  /** Case-folded. */
  @Column('text', { name: 'user_name_key' })
  userNameKey!: string;

  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  /** Attributes that the platform has no place for. */
  @Column('jsonb')
  attributes!: Resource;

  /** Role that SCIM gave to the user last; `null` if it gave none. */
  @Column('text', { name: 'given_role', nullable: true })
  givenRole!: Role | null;

  /** Roles in workspaces that SCIM gave to the user. */
  @Column('jsonb', { name: 'given_workspace_roles', default: () => "'{}'" })
  givenWorkspaceRoles!: WorkspaceRoles;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** A group of the directory, and what its members may do. */
@Entity('scim_groups')
@Unique('scim_groups_display_name', ['accountId', 'displayNameKey'])
@Index('scim_groups_external_id', ['accountId', 'externalId'])
export class ScimGroupEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scim_groups_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'scim_groups_account_id_fkey' })
  account!: AccountEntity;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  /** Case-folded. */
  @Column('text', { name: 'display_name_key' })
  displayNameKey!: string;

  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  /** Role of the members in the account; `null` if the group gives none. Never `owner`. */
  @Column('text', { nullable: true })
  role!: Role | null;

  /** Roles of the members in single workspaces. */
  @Column('jsonb', { name: 'workspace_roles', default: () => "'{}'" })
  workspaceRoles!: WorkspaceRoles;

  /** Increases with each change that the directory sees. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

@Entity('scim_group_members')
@Index('scim_group_members_user', ['userId'])
export class ScimGroupMemberEntity {
  @PrimaryColumn('uuid', {
    name: 'group_id',
    primaryKeyConstraintName: 'scim_group_members_pkey',
  })
  groupId!: string;

  @ManyToOne(() => ScimGroupEntity)
  @JoinColumn({
    name: 'group_id',
    foreignKeyConstraintName: 'scim_group_members_group_id_fkey',
  })
  group!: ScimGroupEntity;

  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'scim_group_members_pkey' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'scim_group_members_user_id_fkey' })
  user!: UserEntity;
}
