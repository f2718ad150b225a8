import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { newId } from '../../common/text/id';
import { AppConfig } from '../../platform/config/app-config';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { OutboundClient } from '../../platform/outbound/outbound-client';
import { signedHeaders } from '../signature';
import type { Attempt } from './attempt.repository';
import { DeliveryMetrics } from './delivery-metrics';
import { describeFailure, type Outcome, outcomeOf } from './retry-schedule';

/** Number of characters of a request that are logged. */
const LOGGED_CHARACTERS = 1_024;

/** One message to an endpoint. */
export interface Message {
  readonly url: string;
  readonly keys: readonly Buffer[];
  readonly messageId: string;
  readonly type: string;
  readonly datagridId: string | null;
  readonly revision: number | null;
  readonly body: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

export interface SendResult {
  readonly outcome: Outcome;
  readonly attempt: Attempt;
  /** Reason of the failure; `null` if the message was delivered. */
  readonly failure: string | null;
  /** `Retry-After` of the response, in milliseconds; `null` if it has none. */
  readonly retryAfterMs: number | null;
}

/** Signs and sends messages. */
@Injectable()
export class WebhookSender implements BeforeApplicationShutdown {
  readonly policy: AddressPolicy;
  private readonly client: OutboundClient;

  constructor(
    { webhookAllowedPrivateRanges, webhookTimeoutSeconds }: AppConfig,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.policy = new AddressPolicy(webhookAllowedPrivateRanges);
    const timeoutMs = webhookTimeoutSeconds * 1_000;
    this.client = new OutboundClient({ policy: this.policy, timeoutMs });
  }

  /** Sends a message once. A failure is a result, not an error. */
  async send(outgoing: Message): Promise<SendResult> {
    const at = new Date();
    const { url, body, messageId, type, datagridId, revision } = outgoing;
    const headers = signedHeaders({ messageId, body, keys: outgoing.keys, at });
    const result = await this.client.post({ url, headers, body });
    const { status, response, retryAfterMs } = result;
    const outcome = outcomeOf(status);
    this.metrics.recordAttempt(outcome, result.durationMs);
    const failure = outcome === 'delivered' ? null : describeFailure(status, result.error);
    const durationMs = Math.round(result.durationMs);
    const request = body.slice(0, LOGGED_CHARACTERS);
    const event = { messageId, type, datagridId, revision, attempt: outgoing.attempt };
    const attempt = {
      id: newId(),
      ...event,
      at,
      durationMs,
      status,
      error: failure,
      request,
      response,
    };
    return { outcome, attempt, failure, retryAfterMs };
  }

  /** Runs after the deliveries in progress had time to end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
