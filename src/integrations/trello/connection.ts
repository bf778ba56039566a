import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { Connectable, Connection } from '../connect/connection.ts';
import { answerOf, itemsOf, withQuery } from '../connect/connection-answer.ts';
import type { Source } from '../kind/setting.ts';

export const TRELLO_APP = {
  TRELLO_APP_KEY: {
    kind: line,
    default: null,
    secret: true,
    doc: 'API key of the Trello application that creates cards; if unset, none are created.',
  },
} satisfies EnvSettingTable;

const MAX_NAME = 100;

/**
 * Lets people choose a list. Trello hands nothing back that it does not know, so the state is part of the address.
 * https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/
 */
export const trelloConnection: Connection<typeof TRELLO_APP> = {
  path: 'add_trello',
  requires: ['TRELLO_APP_KEY'],
  address: ({ address, state }, { TRELLO_APP_KEY: key }) =>
    withQuery('https://trello.com/1/authorize', {
      expiration: 'never',
      name: new URL(address).hostname,
      scope: 'read,write',
      response_type: 'token',
      key: key ?? '',
      return_url: withQuery(address, { state }),
    }),
  async finish(answer, { http, server: { TRELLO_APP_KEY: key } }) {
    const token = answer.get('token');
    // A person who clicks “Deny” comes back with an error in words, and without a token.
    if (token === null) return { kind: 'cancelled' };
    const query = { filter: 'open', fields: 'id,name', lists: 'open', list_fields: 'id,name' };
    const boards = itemsOf(
      await answerOf(
        http({
          method: 'GET',
          url: withQuery('https://api.trello.com/1/members/me/boards', query),
          headers: { Authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"` },
          body: null,
        }),
      ),
    );
    if (boards === null) return { kind: 'failed' };
    const connectables = boards.flatMap((board) =>
      (itemsOf(board.lists) ?? []).map((list) => listOf(token, board, list)),
    );
    if (connectables.length > 0) return { kind: 'found', connectables };
    return {
      kind: 'failed',
      error: 'Your Trello account has no board with an open list. Create one there first.',
    };
  },
};

function listOf(token: string, board: Source, list: Source): Connectable {
  const [group, name] = [board.name, list.name].map((text) => firstCharacters(String(text), MAX_NAME));
  return {
    name: name ?? '',
    group: group ?? '',
    settings: { token, list_id: String(list.id), board_name: group, list_name: name },
  };
}
