import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { newId } from '../../common/text/id';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { OutboundClient, type OutboundResult } from '../../platform/outbound/outbound-client';
import { SealError } from '../../platform/secrets/sealer';
import { signedHeaders } from '../signature';
import { SigningSecrets } from '../signing-secrets';
import type { Attempt } from './attempt.repository';
import { DeliveryMetrics } from './delivery-metrics';
import { describeFailure, type Outcome, outcomeOf } from './retry-schedule';

/** Number of characters of a request that are logged. */
const LOGGED_CHARACTERS = 1_024;

/** Recorded for the owner of the webhook. The log tells the operator which key is missing. */
const NOT_SIGNED =
  'The request was not sent, because the secret of the webhook cannot be opened. ' +
  'Rotate the secret, or ask the operator of the service.';

/** One message to an endpoint. */
export interface Message {
  readonly webhookId: string;
  readonly url: string;
  /** Keys that sign, as they are stored. */
  readonly secrets: readonly Buffer[];
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
  /** The setting with which an operator allows private addresses. */
  readonly privateRangesSetting = 'WEBHOOK_ALLOWED_PRIVATE_RANGES';
  readonly policy: AddressPolicy;
  private readonly client: OutboundClient;

  constructor(
    { webhookAllowedPrivateRanges, webhookTimeoutSeconds }: AppConfig,
    private readonly secrets: SigningSecrets,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: Logger,
  ) {
    this.policy = new AddressPolicy(webhookAllowedPrivateRanges, this.privateRangesSetting);
    const timeoutMs = webhookTimeoutSeconds * 1_000;
    this.client = new OutboundClient({ policy: this.policy, timeoutMs });
  }

  /** Sends a message once. A failure is a result, not an error. */
  async send(outgoing: Message): Promise<SendResult> {
    const at = new Date();
    const { body, messageId, type, datagridId, revision } = outgoing;
    const result = await this.post(outgoing, at);
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

  /** Sends nothing if a key cannot be opened: a receiver could only reject a wrong signature. */
  private async post(sent: Message, at: Date): Promise<OutboundResult> {
    const { webhookId, url, secrets, messageId, body } = sent;
    let keys: readonly Buffer[];
    try {
      keys = secrets.map((stored) => this.secrets.open(webhookId, stored));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      this.logger.pino.error({ webhookId, reason: error.message }, 'webhook secret not opened');
      return { status: null, durationMs: 0, response: '', error: NOT_SIGNED, retryAfterMs: null };
    }
    const headers = signedHeaders({ messageId, body, keys, at });
    return this.client.post({ url, headers, body });
  }

  /** Runs after the deliveries in progress had time to end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
