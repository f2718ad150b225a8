import { IsInt, IsRFC3339, Max, Min, ValidateIf } from 'class-validator';
import { MAX_KEY_TARGETS } from '../../auth/api-key/key-access';
import { type Scope, SCOPES } from '../../common/permission/scope';
import { IsChoicesOrNull, IsIdsOrNull } from '../../common/validation/list-rules';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';

const WEEK_SECONDS = 604_800;
const range = {
  message: `must be an integer number of seconds from 0 to ${String(WEEK_SECONDS)}`,
  context: { code: 'out_of_range' },
};

export class CreateKeyDto {
  @IsName()
  name!: string;

  /** Time at which the key expires, as RFC 3339. If `null` or absent, it never expires. */
  @ValidateIf((_object, value: unknown) => value !== undefined && value !== null)
  @IsRFC3339({ message: 'must be an RFC 3339 timestamp', context: { code: 'invalid_format' } })
  expiresAt?: string | null;

  /** Scopes of the key. If `null` or absent, it has all permissions of the user. */
  @MayBeAbsent()
  @IsChoicesOrNull(SCOPES)
  scopes?: Scope[] | null;

  /** Workspaces that the key is limited to. */
  @MayBeAbsent()
  @IsIdsOrNull('workspaces', MAX_KEY_TARGETS)
  workspaceIds?: string[] | null;

  /** Datagrids that the key is limited to, beside those of `workspaceIds`. */
  @MayBeAbsent()
  @IsIdsOrNull('datagrids', MAX_KEY_TARGETS)
  datagridIds?: string[] | null;
}

export class RotateKeyDto {
  /** Seconds for which the previous key remains valid. */
  @IsInt(range)
  @Min(0, range)
  @Max(WEEK_SECONDS, range)
  keepForSeconds!: number;
}
