import { AppError } from '../../domain/errors.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import type { Actor } from '../../services/actor.ts';
import { settingsVersion } from '../../services/check-acts.ts';
import type { CheckWithChannels } from '../../services/check-list.ts';
import type { CheckWriter } from '../../services/check-writer.ts';
import { findWithChannels } from '../../services/checks.ts';
import { readProject } from '../../services/projects.ts';
import { parseCheckSettings } from '../../wire/dashboard/check-settings-input.ts';
import { type ConflictJson, checkSettingsJson } from '../../wire/dashboard/check-settings-output.ts';
import { errorReply } from '../error-map.ts';
import type { Answer } from '../replies.ts';
import type { Route } from '../route.ts';
import { checkRoute, forMembers, onCheck, projectRoute } from './dashboard-route.ts';

/** Adding a check, and changing its settings. */
export function checkSettingsRoutes(deps: AccountDeps, checkWriter: Pick<CheckWriter, 'perform'>): Route[] {
  return [
    projectRoute('/checks/new', {
      POST: forMembers('checks.edit', async ({ actor, body }) => {
        const { edit, channels = '*' } = parseCheckSettings(body);
        const input = { edit, channels, match: null };
        const { check } = await checkWriter.perform({ verb: 'create', actor, input });
        return { status: 201, json: { uuid: check.uuid } };
      }),
    }),
    checkRoute('/settings', {
      GET: onCheck('checks.edit', async ({ actor, check }) => {
        const project = await readProject(deps, actor);
        const found = await findWithChannels(deps, actor, check.id);
        return {
          status: 200,
          json: {
            uuid: found.check.uuid,
            project: { uuid: project.uuid, name: project.name },
            ...savedJson(found),
          },
        };
      }),
      POST: onCheck('checks.edit', async ({ actor, check: { id }, body }) => {
        const input = { ...parseCheckSettings(body), isQuiet: true };
        try {
          return {
            status: 200,
            json: savedJson(await checkWriter.perform({ verb: 'update', actor, id, input })),
          };
        } catch (error) {
          if (!(error instanceof AppError && error.code === 'check_changed')) throw error;
          return conflictOf(deps, actor, id, error);
        }
      }),
    }),
  ];
}

function savedJson({ check, channelUuids }: CheckWithChannels) {
  return {
    settings: checkSettingsJson(check, channelUuids),
    version: settingsVersion(check, channelUuids),
  };
}

/** What the settings are now, and who has saved them. */
async function conflictOf(deps: AccountDeps, actor: Actor, id: number, error: AppError): Promise<Answer> {
  const found = await findWithChannels(deps, actor, id);
  const { head: edit } = await deps.reads.ask({
    kind: 'last_edit',
    actor,
    subject: found.check.uniqueKey,
  });
  const conflict: ConflictJson = {
    ...savedJson(found),
    by: edit?.actor ?? null,
    at: edit && toIsoSeconds(edit.createdAt),
  };
  return {
    status: errorReply(error)?.status ?? 500,
    json: { error: error.message, code: error.code, field: error.field, conflict },
  };
}
