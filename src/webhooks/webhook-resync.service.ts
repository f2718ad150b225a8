import { Injectable } from '@nestjs/common';
import { LaneSetRepository } from './lane-set.repository';

/** Sorts before all other ids. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Makes webhooks say that changes were lost, for operators who have restored a backup. */
@Injectable()
export class WebhookResyncService {
  constructor(private readonly lanes: LaneSetRepository) {}

  /**
   * Makes the webhooks of one or all accounts send `changes.gap` for each datagrid, after events that
   * wait. Those that are disabled send it once they are enabled.
   * @returns the number of webhooks that have datagrids, and of their datagrids.
   */
  async resync(
    accountId: string | null,
  ): Promise<{ readonly webhooks: number; readonly datagrids: number }> {
    let [webhooks, datagrids] = [0, 0];
    let id = await this.lanes.findNextWebhook(accountId, NIL_ID);
    while (id !== null) {
      datagrids += await this.lanes.markGaps(id);
      webhooks += 1;
      id = await this.lanes.findNextWebhook(accountId, id);
    }
    return { webhooks, datagrids };
  }
}
