import { Inject, Injectable } from '@nestjs/common';
import { invalidField } from '../common/error/app-error';
import { DESTINATION_TYPES, type DestinationType } from './destination';
import type { DestinationKind } from './destination-kind';

/** Provider token of the kinds of destinations that this service has. */
export const DESTINATION_KINDS = Symbol('DESTINATION_KINDS');

export type KindsByType = Readonly<Partial<Record<DestinationType, DestinationKind>>>;

/** The kinds of destinations, by the type of a connection. */
@Injectable()
export class DestinationKinds {
  constructor(@Inject(DESTINATION_KINDS) private readonly kinds: KindsByType) {}

  /** Types whose destinations only one process can have open at a time. */
  get exclusiveTypes(): readonly DestinationType[] {
    return DESTINATION_TYPES.filter((type) => this.kinds[type]?.isExclusive === true);
  }

  /** @returns `undefined` if this service has no such kind. */
  find(type: DestinationType): DestinationKind | undefined {
    return this.kinds[type];
  }

  /** @throws AppError `invalid_request` if this service has no such kind. */
  get(type: DestinationType): DestinationKind {
    const kind = this.find(type);
    if (kind) return kind;
    const message = 'is not available in this installation of the service';
    throw invalidField('type', 'not_a_choice', message);
  }
}
