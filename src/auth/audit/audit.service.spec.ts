import { newId } from '../../common/text/id';
import type { AuditRecord, AuditRepository } from './audit.repository';
import { AuditService } from './audit.service';

const ACCOUNT = newId();

function newEvent(): AuditRecord {
  return {
    ...{ id: newId(), at: new Date(), action: 'workspace_created', via: 'key' },
    ...{ userId: null, email: null, keyId: null, keyName: null, targetKind: 'workspace' },
    ...{ targetId: newId(), targetName: null, details: {}, address: null, position: null },
  };
}

/** Events of an account that has another reader: it adds new events after each read of a page. */
class ReadByTwo {
  constructor(private events: readonly AuditRecord[]) {}

  hasNew(): Promise<boolean> {
    return Promise.resolve(this.events.some(({ position }) => position === null));
  }

  feed(_account: string, from: number, limit: number): Promise<AuditRecord[]> {
    const page = this.events.filter(({ position }) => position !== null && position >= from);
    void this.extendFeed();
    return Promise.resolve(page.slice(0, limit));
  }

  extendFeed(): Promise<void> {
    this.events = this.events.map((event, index) => ({ ...event, position: index + 1 }));
    return Promise.resolve();
  }
}

describe('the feed of audit events', () => {
  it('has the events that another reader adds to it while a page is read', async () => {
    const events = [newEvent(), newEvent()];
    const service = new AuditService(new ReadByTwo(events) as unknown as AuditRepository);
    const page = await service.feed(ACCOUNT, null, 10);
    expect(page.events.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(page.isLast).toBe(true);
  });
});
