import { EN_WEBHOOKS } from './en/webhooks';

/** The texts of webhooks, in the language of the console. They load with their pages. */
export const webhooksText: typeof EN_WEBHOOKS = EN_WEBHOOKS;
