import type { AccountDeps } from '../../services/accounts/deps.ts';
import { enterProject } from '../../services/accounts/projects.ts';
import { type BulkResult, type CommandFor, performOnMany, restoreMany } from '../../services/check-bulk.ts';
import type { CheckWriter } from '../../services/check-writer.ts';
import { type BulkInput, parseBulk } from '../../wire/dashboard/check-bulk-input.ts';
import type { BulkResultJson } from '../../wire/dashboard/check-bulk-output.ts';
import { errorReply } from '../error-map.ts';
import type { MemberRequest, Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** Acts on many checks of a project, and those that were deleted. */
export function checkBulkRoutes(deps: AccountDeps, checkWriter: Pick<CheckWriter, 'perform'>): Route[] {
  return [
    projectRoute('/checks/bulk', {
      POST: forMembers('checks.edit', async (request) => {
        const input = parseBulk(request.body);
        const { actor } = request;
        const { verb, checks } = input;
        const result =
          verb === 'restore'
            ? await restoreMany(checkWriter, actor, checks)
            : await performOnMany(
                deps,
                checkWriter,
                actor,
                checks,
                await commandsOf(deps, request, verb, input),
              );
        return { status: 200, json: resultJson(result) };
      }),
    }),
    projectRoute('/checks/deleted', {
      GET: forMembers('checks.edit', async ({ actor }) => {
        const { pieces } = await deps.reads.ask({ kind: 'deleted_checks', actor });
        return { status: 200, pieces };
      }),
    }),
  ];
}

async function commandsOf(
  deps: AccountDeps,
  { actor, signedIn }: Pick<MemberRequest, 'actor' | 'signedIn'>,
  verb: Exclude<BulkInput['verb'], 'restore'>,
  input: BulkInput,
): Promise<CommandFor> {
  switch (verb) {
    case 'pause':
    case 'resume':
      return (id) => ({ verb, actor, id });
    case 'adjust': {
      const { addTags, removeTags, addChannels, removeChannels } = input;
      const adjustment = { addTags, removeTags, addChannels, removeChannels };
      return (id) => ({ verb, actor, id, input: adjustment });
    }
    case 'move': {
      const target = await enterProject(deps, signedIn.actor, input.project ?? '');
      return (id) => ({ verb, actor, id, target });
    }
    case 'delete': {
      const assurance = input.typed === String(input.checks.length) ? 'given' : null;
      return (id) => ({ verb: 'remove', actor, id, assurance });
    }
  }
}

function resultJson({ done, refused }: BulkResult): BulkResultJson {
  return {
    done,
    refused: [...refused.values()].map(({ error, uuids }) => ({
      code: error.code,
      error: errorReply(error)?.error ?? error.message,
      checks: uuids,
    })),
  };
}
