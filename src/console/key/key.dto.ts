import { IsInt, IsRFC3339, Max, Min, ValidateIf } from 'class-validator';
import { IsName } from '../../common/validation/text-rules';

const WEEK_SECONDS = 604_800;
const range = {
  message: `must be an integer number of seconds from 0 to ${String(WEEK_SECONDS)}`,
  context: { code: 'out_of_range' },
};

export class CreateKeyDto {
  @IsName()
  name!: string;

  /** RFC 3339; `null` or absent: until it is revoked. */
  @ValidateIf((_object, value: unknown) => value !== undefined && value !== null)
  @IsRFC3339({ message: 'must be an RFC 3339 timestamp', context: { code: 'invalid_format' } })
  expiresAt?: string | null;
}

export class RotateKeyDto {
  /** How long the key before stays good. */
  @IsInt(range)
  @Min(0, range)
  @Max(WEEK_SECONDS, range)
  keepForSeconds!: number;
}
