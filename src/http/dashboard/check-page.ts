import type { AccountDeps } from '../../services/accounts/deps.ts';
import { readProfile } from '../../services/accounts/profile.ts';
import { getChannel } from '../../services/channels.ts';
import type { CheckWriter } from '../../services/check-writer.ts';
import { parseCursor } from '../../wire/dashboard/audit-log-input.ts';
import { parseAssignment } from '../../wire/dashboard/check-channel-input.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

/** All about one check, which threads read, and whom it tells. */
export function checkPageRoutes(deps: AccountDeps, checkWriter: Pick<CheckWriter, 'perform'>): Route[] {
  return [
    checkRoute('', {
      GET: onCheck('checks.view', async ({ actor, check, signedIn }) => {
        const { preferences } = await readProfile(deps, signedIn.actor);
        const question = { kind: 'check_page', actor, checkId: check.id, tz: preferences.tz } as const;
        return { status: 200, pieces: (await deps.reads.ask(question)).pieces };
      }),
    }),
    checkRoute('/history', {
      GET: onCheck('checks.edit', async ({ actor, check, query }) => {
        const question = {
          kind: 'check_history',
          actor,
          checkId: check.id,
          after: parseCursor(query),
        } as const;
        return { status: 200, pieces: (await deps.reads.ask(question)).pieces };
      }),
    }),
    checkRoute(`/channels/:channel(${UUID_PATTERN})`, {
      POST: onCheck('checks.edit', async ({ actor, check: { id }, params, body }) => {
        const { channel } = await getChannel(deps, actor, params.channel ?? '');
        const [added, removed] = parseAssignment(body).assigned ? [[channel.uuid], []] : [[], [channel.uuid]];
        const input = { addTags: [], removeTags: [], addChannels: added, removeChannels: removed };
        await checkWriter.perform({ verb: 'adjust', actor, id, input });
        return { status: 204 };
      }),
    }),
  ];
}
