import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { WorkspaceRole } from '../../common/permission/permission';
import { UserEntity } from './user.entity';

/** Role of a user in one workspace. It adds to the role that the user has in the account. */
@Entity('workspace_roles')
@Index('workspace_roles_workspace', ['workspaceId'])
export class WorkspaceRoleEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'workspace_roles_pkey' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'workspace_roles_user_id_fkey' })
  user!: UserEntity;

  @PrimaryColumn('uuid', { name: 'workspace_id', primaryKeyConstraintName: 'workspace_roles_pkey' })
  workspaceId!: string;

  @Column('text')
  role!: WorkspaceRole;
}
