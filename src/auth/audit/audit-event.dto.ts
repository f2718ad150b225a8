import { ApiProperty } from '@nestjs/swagger';

/** Who performed an action, and by which access. */
export class AuditActorDto {
  /**
   * `key`: with an API key. `application`: by an application that the user has authorized. `console`: signed in to the console. `link`: with an invite link. `scim`: by the directory of the account.
   * `operator`: with a command. `service`: the service itself. `nobody`: unknown, as for a failed sign-in.
   * Other values can be added.
   * @example 'key'
   */
  @ApiProperty()
  via!: string;

  /** User who performed it. `null` for a directory, an operator, the service and nobody. */
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02',
  })
  userId!: string | null;

  /** Current email address of the user. */
  @ApiProperty({ type: 'string', nullable: true, example: 'ada@example.com' })
  email!: string | null;

  /** API key that was used, or grant of the application; otherwise `null`. */
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b03',
  })
  keyId!: string | null;

  /** Current name of that key, or of the application. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Warehouse sync' })
  keyName!: string | null;
}

/** Object of an action. */
export class AuditTargetDto {
  /**
   * Kind of the object. Other values can be added.
   * @example 'workspace'
   */
  @ApiProperty()
  kind!: string;

  /**
   * ID of the object, which may no longer exist.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b06'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** Name at the time of the event. `null` if it had none. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Flights' })
  name!: string | null;
}

/** An action in the account. */
export class AuditEventDto {
  /**
   * ID of the event.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b21'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Time of the event.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  at!: string;

  /**
   * Name of the action. Other values can be added.
   * @example 'workspace_created'
   */
  @ApiProperty()
  action!: string;

  /** Who performed it. */
  @ApiProperty({ type: AuditActorDto })
  by!: AuditActorDto;

  /** Object of the action. */
  @ApiProperty({ type: AuditTargetDto })
  target!: AuditTargetDto;

  /** Details of the action. They contain no secrets and no values of rows. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: {} })
  details!: Record<string, unknown>;

  /** Client address of sign-ins, sign-outs and ended sessions. Otherwise `null`. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  address!: string | null;
}
