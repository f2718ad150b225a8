import { connectionsText } from '../../text/connections-text';
import type { Deletions, DestinationType } from './connection';

/** One setting of a destination, as a field of a form. */
export interface SettingField {
  /** Name of the setting in the API. */
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly type: 'text' | 'number' | 'area' | 'checkbox' | 'choice';
  readonly defaultValue: string | boolean;
  /** True if the service has a default for an empty field. */
  readonly isOptional?: boolean;
  /** Values of a choice. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** If the field is part of the settings only with a value of a choice. */
  readonly onlyIf?: OnlyIf;
}

/** A field, and the value that it must have. */
export interface OnlyIf {
  readonly name: string;
  readonly value: string;
}

/** A type of destination. To add one, add it to `DESTINATIONS`. */
export interface DestinationDescriptor {
  readonly type: DestinationType;
  readonly label: string;
  readonly summary: string;
  readonly fields: readonly SettingField[];
  /** Effects of deleted rows that the destination supports. */
  readonly deletions: readonly Deletions[];
  /** Missing if the destination has no secret. */
  readonly secret?: { readonly label: string; readonly help: string; readonly onlyIf?: OnlyIf };
  /** Settings that name the destination in lists. */
  readonly place: readonly string[];
  /** Shortest time between two syncs. If it is missing, changes can be copied at once. */
  readonly minMinutes?: number;
}

export const ALL_DELETIONS: readonly Deletions[] = ['delete', 'mark', 'history'];

export const CA_CERTIFICATE: SettingField = {
  name: 'caCertificate',
  ...connectionsText.destinations.caCertificate,
  type: 'area',
  defaultValue: '',
  isOptional: true,
};
