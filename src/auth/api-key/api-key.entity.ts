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
import type { Audience } from '../../common/caller/app-request';
import type { Scope } from '../../common/permission/scope';
import { UserEntity } from '../user/user.entity';

/** An API key. The key itself is not stored: `hash` finds it and the other columns describe it. */
@Entity('api_keys')
@Unique('api_keys_hash', ['hash'])
@Index('api_keys_user', ['userId'])
export class ApiKeyEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_keys_user_id_fkey' })
  user!: UserEntity;

  @Column('text')
  name!: string;

  /** SHA-256 of the key. */
  @Column('bytea')
  hash!: Buffer;

  /** The first 8 characters of the key. */
  @Column('text')
  prefix!: string;

  @Column('text', { name: 'last_four' })
  lastFour!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Written at most every five minutes. */
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;

  /** The key that a rotation created in place of this one. */
  @Column('uuid', { name: 'replaced_by_id', nullable: true })
  replacedById!: string | null;

  /** Set for the access token of an application that the user has authorized. `null` for an API key. */
  @Column('text', { nullable: true })
  audience!: Audience | null;

  /** `null` if the key has all permissions of its user. */
  @Column('text', { array: true, nullable: true })
  scopes!: Scope[] | null;

  /** Workspaces that the key is limited to. */
  @Column('uuid', { name: 'workspace_ids', array: true, nullable: true })
  workspaceIds!: string[] | null;

  /** Datagrids that the key is limited to, beside those of `workspaceIds`. */
  @Column('uuid', { name: 'datagrid_ids', array: true, nullable: true })
  datagridIds!: string[] | null;
}
