import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import type { Connection } from '../connect/connection.ts';
import { consentAddress, exchangedCode, fieldsOf } from '../connect/connection-answer.ts';

export const SLACK_APP = {
  SLACK_CLIENT_ID: {
    kind: line,
    default: null,
    doc: 'Client id of the Slack app by which people connect a channel with a button; if unset, they paste the address of a webhook.',
  },
  SLACK_CLIENT_SECRET: { kind: line, default: null, secret: true, doc: 'Client secret of that Slack app.' },
} satisfies EnvSettingTable;

/** https://docs.slack.dev/authentication/installing-with-oauth */
export const slackConnection: Connection<typeof SLACK_APP> = {
  path: 'add_slack_btn',
  requires: ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'],
  address: (back, { SLACK_CLIENT_ID: id }) =>
    consentAddress('https://slack.com/oauth/v2/authorize', id, back, { scope: 'incoming-webhook' }),
  async finish(answer, visit) {
    const app = { id: visit.server.SLACK_CLIENT_ID, secret: visit.server.SLACK_CLIENT_SECRET };
    const reply = fieldsOf(await exchangedCode('https://slack.com/api/oauth.v2.access', app, answer, visit));
    const { url, channel } = fieldsOf(reply.incoming_webhook);
    if (reply.ok !== true || typeof url !== 'string') return { kind: 'failed' };
    return { kind: 'found', connectables: [{ name: String(channel ?? ''), group: '', settings: { url } }] };
  },
};
