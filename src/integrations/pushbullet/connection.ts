import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import type { Connection } from '../connect/connection.ts';
import { consentAddress, exchangedCode, fieldsOf } from '../connect/connection-answer.ts';

export const PUSHBULLET_APP = {
  PUSHBULLET_CLIENT_ID: {
    kind: line,
    default: null,
    doc: 'Client id of the Pushbullet client by which people connect their account with a button; if unset, they paste an access token.',
  },
  PUSHBULLET_CLIENT_SECRET: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Client secret of that Pushbullet client.',
  },
} satisfies EnvSettingTable;

/** https://docs.pushbullet.com/#oauth2 */
export const pushbulletConnection: Connection<typeof PUSHBULLET_APP> = {
  path: 'add_pushbullet',
  requires: ['PUSHBULLET_CLIENT_ID', 'PUSHBULLET_CLIENT_SECRET'],
  address: (back, { PUSHBULLET_CLIENT_ID: id }) =>
    consentAddress('https://www.pushbullet.com/authorize', id, back),
  async finish(answer, visit) {
    const app = { id: visit.server.PUSHBULLET_CLIENT_ID, secret: visit.server.PUSHBULLET_CLIENT_SECRET };
    const { access_token: token } = fieldsOf(
      await exchangedCode('https://api.pushbullet.com/oauth2/token', app, answer, visit),
    );
    if (typeof token !== 'string') return { kind: 'failed' };
    return { kind: 'found', connectables: [{ name: '', group: '', settings: { token } }] };
  },
};
