import { Column, CreateDateColumn, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../user/user.entity';

/**
 * Password of a user who has one. Stored apart from the user, because user records are passed
 * around.
 */
@Entity('user_passwords')
export class UserPasswordEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_passwords_pkey' })
  userId!: string;

  @OneToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_passwords_user_id_fkey' })
  user!: UserEntity;

  /** Result of `hashPassword`. */
  @Column('text')
  hash!: string;

  @CreateDateColumn({ name: 'changed_at', type: 'timestamptz', precision: 3 })
  changedAt!: Date;
}
