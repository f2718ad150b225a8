import {
  Column,
  CreateDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
} from 'typeorm';
import { UserEntity } from '../user/user.entity';

/** The authenticator app of a user who has one, or begins to set one up. */
@Entity('user_totps')
export class UserTotpEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_totps_pkey' })
  userId!: string;

  @OneToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_totps_user_id_fkey' })
  user!: UserEntity;

  /** Sealed, if the service has a key for it. */
  @Column('bytea')
  secret!: Buffer;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** `null` until the user has entered a code of the app. Sign-ins ask for codes from then on. */
  @Column({ type: 'timestamptz', name: 'confirmed_at', precision: 3, nullable: true })
  confirmedAt!: Date | null;

  /** Period of the last code that was used. It and earlier ones are not accepted again. */
  @Column('bigint', { name: 'last_period', default: 0 })
  lastPeriod!: number;

  /** Wrong codes since the last correct one. */
  @Column('integer', { name: 'wrong_codes', default: 0 })
  wrongCodes!: number;
}

/** A code that replaces the code of an authenticator app once. Deleted when it is used. */
@Entity('user_recovery_codes')
export class UserRecoveryCodeEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_recovery_codes_pkey' })
  userId!: string;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_recovery_codes_user_id_fkey' })
  user!: UserEntity;

  /** SHA-256 of the code. */
  @PrimaryColumn('bytea', {
    name: 'code_hash',
    primaryKeyConstraintName: 'user_recovery_codes_pkey',
  })
  codeHash!: Buffer;
}
