import { type EnvSettingTable, httpsAddress } from '../../lib/env-setting.ts';
import type { Connection } from '../connect/connection.ts';
import { withQuery } from '../connect/connection-answer.ts';

export const PUSHOVER_SUBSCRIPTION = {
  PUSHOVER_SUBSCRIPTION_URL: {
    kind: httpsAddress,
    default: null,
    example: 'https://pushover.net/subscribe/Tocsin-abc123',
    doc: 'Address of the subscription page of that Pushover application, by which people connect their devices with a button; if unset, they paste their user key.',
  },
} satisfies EnvSettingTable;

/** https://pushover.net/api/subscriptions */
export const pushoverConnection: Connection<typeof PUSHOVER_SUBSCRIPTION> = {
  path: 'add_pushover',
  requires: ['PUSHOVER_SUBSCRIPTION_URL'],
  address: ({ address, state }, { PUSHOVER_SUBSCRIPTION_URL: page }) =>
    withQuery(page ?? '', {
      success: withQuery(address, { state }),
      failure: withQuery(address, { state, error: 'access_denied' }),
    }),
  async finish(answer) {
    const key = answer.get('pushover_user_key');
    if (key === null) return { kind: 'failed' };
    return { kind: 'found', connectables: [{ name: '', group: '', settings: { user_key: key } }] };
  },
};
