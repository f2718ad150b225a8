import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A public link of a view. The token is not stored: `tokenHash` finds the link. */
@Entity('view_links')
@Unique('view_links_view', ['datagridId', 'viewId'])
@Unique('view_links_token', ['tokenHash'])
export class ViewLinkEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'view_links_pkey' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('uuid', { name: 'datagrid_id' })
  datagridId!: string;

  @Column('uuid', { name: 'view_id' })
  viewId!: string;

  /** SHA-256 of the token. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** Key that encrypts cursors, which contain values of hidden columns if the view sorts by them. */
  @Column('bytea', { name: 'cursor_key' })
  cursorKey!: Buffer;

  /** Ids of the columns that were visible when the link was created. It never shows others. */
  @Column('integer', { name: 'column_ids', array: true })
  columnIds!: readonly number[];

  /** Id of the user who created the link. */
  @Column('uuid', { name: 'created_by' })
  createdBy!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** Written at most every five minutes. */
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
