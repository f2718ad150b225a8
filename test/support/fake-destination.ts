import { invalidField } from '../../src/common/error/app-error';
import {
  DELETION_MODES,
  type DeletionMode,
  type Destination,
  DestinationError,
  type TargetColumn,
} from '../../src/destinations/destination';
import type {
  DescribedColumn,
  DestinationKind,
  DestinationSettings,
  DestinationAccess,
} from '../../src/destinations/destination-kind';

/** Settings that every fake kind and PostgreSQL accept. */
export const FAKE_SETTINGS = { host: 'warehouse.example', database: 'analytics', user: 'sync' };

const KNOWN = ['host', 'port', 'database', 'user', 'schema'];

/** A kind of destinations whose test does what the test of the service decides. */
export class FakeKind implements DestinationKind {
  /** Targets that were tested. */
  readonly tested: DestinationAccess[] = [];
  /** Runs in each test. */
  onTest: (target: DestinationAccess, signal?: AbortSignal) => Promise<void> = () =>
    Promise.resolve();

  constructor(
    readonly hasSecret: boolean,
    readonly deletionModes: readonly DeletionMode[] = DELETION_MODES,
  ) {}

  readSettings(settings: DestinationSettings): DestinationSettings {
    const unknown = Object.keys(settings).find((name) => !KNOWN.includes(name));
    if (unknown !== undefined) {
      throw invalidField(`settings.${unknown}`, 'unknown_property', 'is not a known property');
    }
    return { schema: 'public', ...settings };
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type };
  }

  create(target: DestinationAccess): Destination {
    return {
      test: async (signal) => {
        this.tested.push(target);
        await this.onTest(target, signal);
      },
      open: () => Promise.reject(new DestinationError('configuration', 'A fake cannot be opened.')),
    };
  }
}
