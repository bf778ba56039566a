import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import type { Connectable, Connection } from '../connect/connection.ts';
import { fieldsOf, itemsOf, withQuery } from '../connect/connection-answer.ts';

export const PAGERDUTY_APP = {
  PD_APP_ID: {
    kind: line,
    default: null,
    doc: 'Id of the PagerDuty app by which people connect services with a button; if unset, they paste an integration key.',
  },
} satisfies EnvSettingTable;

/** https://developer.pagerduty.com/docs/app-integration-development/events-integration-functionality/#simple-install-flow */
export const pagerDutyConnection: Connection<typeof PAGERDUTY_APP> = {
  path: 'add_pagerduty',
  requires: ['PD_APP_ID'],
  address: ({ address, state }, { PD_APP_ID: id }) =>
    withQuery('https://app.pagerduty.com/install/integration', {
      app_id: id ?? '',
      redirect_url: withQuery(address, { state }),
      version: '2',
    }),
  async finish(answer) {
    const keys = itemsOf(fieldsOf(configIn(answer)).integration_keys);
    if (keys === null || keys.length === 0) return { kind: 'failed' };
    const connectables = keys.map(
      ({ integration_key: key, name }): Connectable => ({
        name: String(name ?? ''),
        group: '',
        settings: { service_key: String(key) },
      }),
    );
    return { kind: 'found', connectables, becomeAllChannels: true };
  },
};

function configIn(answer: URLSearchParams): unknown {
  try {
    return JSON.parse(answer.get('config') ?? '');
  } catch {
    return null;
  }
}
