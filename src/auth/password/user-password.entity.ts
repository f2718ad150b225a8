import { Column, CreateDateColumn, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../user/user.entity';

/** Of a user who has one: apart from the user, who is handed about. */
@Entity('user_passwords')
export class UserPasswordEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_passwords_pkey' })
  userId!: string;

  @OneToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_passwords_user_id_fkey' })
  user!: UserEntity;

  /** As `hashPassword` gives it. */
  @Column('text')
  hash!: string;

  @CreateDateColumn({ name: 'changed_at', type: 'timestamptz', precision: 3 })
  changedAt!: Date;
}
