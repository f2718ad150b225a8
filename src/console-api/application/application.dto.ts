import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MAX_KEY_TARGETS } from '../../auth/api-key/key-access';
import { type Scope, SCOPES } from '../../common/permission/scope';
import { IsChoices, IsIdsOrNull } from '../../common/validation/list-rules';
import { MayBeAbsent } from '../../common/validation/text-rules';

const MAX_QUERY_LENGTH = 8_000;
const MAX_DAYS = 365;

const query = { message: 'must be a string', context: { code: 'wrong_type' } };
const length = {
  message: `must not be longer than ${String(MAX_QUERY_LENGTH)} characters`,
  context: { code: 'out_of_range' },
};
const days = {
  message: `must be an integer from 1 to ${String(MAX_DAYS)}`,
  context: { code: 'out_of_range' },
};

/** A request of an application. */
export class AuthorizationQueryDto {
  /** Query of the URL to which the application sent the browser. */
  @MaxLength(MAX_QUERY_LENGTH, length)
  @IsString(query)
  query!: string;
}

/** What a user allows an application that asks. */
export class AuthorizeDto extends AuthorizationQueryDto {
  @IsChoices(SCOPES)
  scopes!: Scope[];

  /** Workspaces that the application is limited to. */
  @MayBeAbsent()
  @IsIdsOrNull('workspaces', MAX_KEY_TARGETS)
  workspaceIds?: string[] | null;

  /** Datagrids that the application is limited to, beside those of `workspaceIds`. */
  @MayBeAbsent()
  @IsIdsOrNull('datagrids', MAX_KEY_TARGETS)
  datagridIds?: string[] | null;

  /** Days after which the application must ask again. */
  @IsInt(days)
  @Min(1, days)
  @Max(MAX_DAYS, days)
  lifetimeDays!: number;
}
