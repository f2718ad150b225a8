import { InitialSchema1763683200000 } from './1763683200000-initial-schema';
import { ChangeLog1763815000000 } from './1763815000000-change-log';
import { Console1763787600000 } from './1763787600000-console';
import { Audit1763794800000 } from './1763794800000-audit';
import { AuditFeed1763845000000 } from './1763845000000-audit-feed';
import { ColumnDefault1763831000000 } from './1763831000000-column-default';
import { ColumnPosition1763834000000 } from './1763834000000-column-position';
import { AutomaticIndexes1763837000000 } from './1763837000000-automatic-indexes';
import { NoAutomaticIndexes1763844000000 } from './1763844000000-no-automatic-indexes';
import { ColumnTrash1763832000000 } from './1763832000000-column-trash';
import { ColumnRemains1763780400000 } from './1763780400000-column-remains';
import { PurgeAccounts1763811000000 } from './1763811000000-purge-accounts';
import { ReplacedKeys1763825000000 } from './1763825000000-replaced-keys';
import { NumberOffset1763839000000 } from './1763839000000-number-offset';
import { KeyScopes1763833000000 } from './1763833000000-key-scopes';
import { KeyRequests1763826000000 } from './1763826000000-key-requests';
import { RowHistory1763819000000 } from './1763819000000-row-history';
import { Trash1763769600000 } from './1763769600000-trash';
import { CallerNotice1763776800000 } from './1763776800000-caller-notice';
import { Connections1763822000000 } from './1763822000000-connections';
import { Idempotency1763690400000 } from './1763690400000-idempotency';
import { IdempotencyUsage1763801000000 } from './1763801000000-idempotency-usage';
import { ImportRevisions1763820500000 } from './1763820500000-import-revisions';
import { ImportSteps1763784000000 } from './1763784000000-import-steps';
import { Imports1763773200000 } from './1763773200000-imports';
import { ScheduledImports1763823000000 } from './1763823000000-scheduled-imports';
import { UsersPerAccount1763805000000 } from './1763805000000-users-per-account';
import { ValueIndex1763690400000 } from './1763690400000-value-index';
import { VacuumSettings1763824000000 } from './1763824000000-vacuum-settings';
import { Versions1763807000000 } from './1763807000000-versions';
import { RowLinks1763835000000 } from './1763835000000-row-links';
import { RowTrash1763827000000 } from './1763827000000-row-trash';
import { ViewLinks1763830000000 } from './1763830000000-view-links';
import { Views1763828000000 } from './1763828000000-views';
import { ViewGroups1763829000000 } from './1763829000000-view-groups';
import { ViewGroupBucket1763838000000 } from './1763838000000-view-group-bucket';
import { ImportColumnIds1763842000000 } from './1763842000000-import-column-ids';
import { DestinationColumns1763842300000 } from './1763842300000-destination-columns';
import { SecondFactor1763846000000 } from './1763846000000-second-factor';
import { SecondFactorRule1763846500000 } from './1763846500000-second-factor-rule';
import { Passkeys1763847000000 } from './1763847000000-passkeys';
import { IdentityProviders1763848000000 } from './1763848000000-identity-providers';
import { SingleSignOnRule1763848500000 } from './1763848500000-single-sign-on-rule';
import { SessionProof1763848700000 } from './1763848700000-session-proof';
import { ProviderSessionsAndGroups1763848400000 } from './1763848400000-provider-sessions-and-groups';
import { SamlProviders1763852500000 } from './1763852500000-saml-providers';
import { Scim1763852000000 } from './1763852000000-scim';
import { Oauth1763853000000 } from './1763853000000-oauth';
import { ProviderDomains1763853500000 } from './1763853500000-provider-domains';
import { OauthClients1763854000000 } from './1763854000000-oauth-clients';
import { SuspendedByDirectory1763854500000 } from './1763854500000-suspended-by-directory';
import { CallerNames1763855000000 } from './1763855000000-caller-names';
import { SqlQueries1763843000000 } from './1763843000000-sql-queries';
import { PreviousKeys1763841000000 } from './1763841000000-previous-keys';
import { ComputedColumns1763840000000 } from './1763840000000-computed-columns';
import { WebhookFilter1763821000000 } from './1763821000000-webhook-filter';
import { WebhookGaps1763817000000 } from './1763817000000-webhook-gaps';
import { WebhookOpenLanes1763818000000 } from './1763818000000-webhook-open-lanes';
import { Webhooks1763816000000 } from './1763816000000-webhooks';

/** Migrations in the order in which they run. A released migration is never changed. */
export const MIGRATIONS = [
  InitialSchema1763683200000,
  ValueIndex1763690400000,
  Idempotency1763690400000,
  Trash1763769600000,
  Imports1763773200000,
  CallerNotice1763776800000,
  ColumnRemains1763780400000,
  ImportSteps1763784000000,
  Console1763787600000,
  Audit1763794800000,
  IdempotencyUsage1763801000000,
  UsersPerAccount1763805000000,
  Versions1763807000000,
  PurgeAccounts1763811000000,
  ChangeLog1763815000000,
  Webhooks1763816000000,
  WebhookGaps1763817000000,
  WebhookOpenLanes1763818000000,
  RowHistory1763819000000,
  ImportRevisions1763820500000,
  WebhookFilter1763821000000,
  Connections1763822000000,
  ScheduledImports1763823000000,
  VacuumSettings1763824000000,
  ReplacedKeys1763825000000,
  KeyRequests1763826000000,
  RowTrash1763827000000,
  Views1763828000000,
  ViewGroups1763829000000,
  ViewLinks1763830000000,
  ColumnDefault1763831000000,
  ColumnTrash1763832000000,
  KeyScopes1763833000000,
  ColumnPosition1763834000000,
  RowLinks1763835000000,
  AutomaticIndexes1763837000000,
  ViewGroupBucket1763838000000,
  NumberOffset1763839000000,
  ComputedColumns1763840000000,
  PreviousKeys1763841000000,
  ImportColumnIds1763842000000,
  DestinationColumns1763842300000,
  SqlQueries1763843000000,
  NoAutomaticIndexes1763844000000,
  AuditFeed1763845000000,
  SecondFactor1763846000000,
  SecondFactorRule1763846500000,
  Passkeys1763847000000,
  IdentityProviders1763848000000,
  ProviderSessionsAndGroups1763848400000,
  SingleSignOnRule1763848500000,
  SessionProof1763848700000,
  Scim1763852000000,
  SamlProviders1763852500000,
  Oauth1763853000000,
  ProviderDomains1763853500000,
  OauthClients1763854000000,
  SuspendedByDirectory1763854500000,
  CallerNames1763855000000,
];
