import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import type { Connection } from '../connect/connection.ts';
import { consentAddress, exchangedCode, fieldsOf } from '../connect/connection-answer.ts';

export const DISCORD_APP = {
  DISCORD_CLIENT_ID: {
    kind: line,
    default: null,
    doc: 'Client id of the Discord application by which people connect a channel with a button; if unset, they paste the address of a webhook.',
  },
  DISCORD_CLIENT_SECRET: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Client secret of that Discord application.',
  },
} satisfies EnvSettingTable;

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes: the channel has as many webhooks as it can have. */
const TOO_MANY_WEBHOOKS = 30_007;

/** https://docs.discord.com/developers/topics/oauth2#webhooks */
export const discordConnection: Connection<typeof DISCORD_APP> = {
  path: 'add_discord',
  requires: ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET'],
  address: (back, { DISCORD_CLIENT_ID: id }) =>
    consentAddress('https://discord.com/api/oauth2/authorize', id, back, { scope: 'webhook.incoming' }),
  async finish(answer, visit) {
    const app = { id: visit.server.DISCORD_CLIENT_ID, secret: visit.server.DISCORD_CLIENT_SECRET };
    const reply = fieldsOf(await exchangedCode('https://discord.com/api/oauth2/token', app, answer, visit));
    if (reply.code === TOO_MANY_WEBHOOKS)
      return {
        kind: 'failed',
        error:
          'Discord setup failed: the channel has as many webhooks as it can have. Remove one there first.',
      };
    const { url, name } = fieldsOf(reply.webhook);
    if (typeof url !== 'string') return { kind: 'failed' };
    return { kind: 'found', connectables: [{ name: String(name ?? ''), group: '', settings: { url } }] };
  },
};
