import { nameToType } from '../../domain/check/check-deletion.ts';
import { AppError } from '../../domain/errors.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { enterProject } from '../../services/accounts/projects.ts';
import type { CheckWriter } from '../../services/check-writer.ts';
import { findById } from '../../services/checks.ts';
import { parseCopy, parseDeletion, parseMove } from '../../wire/dashboard/check-act-input.ts';
import { errorReply } from '../error-map.ts';
import type { Answer } from '../replies.ts';
import type { CheckRequest, Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

/** What people do to a check. */
export function checkRoutes(deps: AccountDeps, checkWriter: Pick<CheckWriter, 'perform'>): Route[] {
  return [
    checkRoute('/clear', {
      POST: onCheck('checks.edit', async ({ actor, check }) => {
        await checkWriter.perform({ verb: 'clear', actor, id: check.id });
        return { status: 204 };
      }),
    }),
    checkRoute('/replace-address', {
      POST: onCheck('checks.edit', async ({ actor, check }) => {
        const replaced = await checkWriter.perform({ verb: 'replace_address', actor, id: check.id });
        return { status: 200, json: { uuid: replaced.check.uuid } };
      }),
    }),
    ...relocationRoutes(deps, checkWriter),
    checkRoute('/delete', {
      POST: onCheck('checks.edit', async (request) => {
        const { actor, check, body } = request;
        const { name: typedName } = parseDeletion(body);
        const assurance = typedName === undefined ? null : { typedName };
        try {
          const removed = await checkWriter.perform({ verb: 'remove', actor, id: check.id, assurance });
          return { status: 200, json: { uuid: removed.check.uuid } };
        } catch (error) {
          if (!(error instanceof AppError && error.code === 'name_required')) throw error;
          return askForName(deps, request, error);
        }
      }),
    }),
  ];
}

/** Copies and moves, also to other projects. */
function relocationRoutes(deps: AccountDeps, checkWriter: Pick<CheckWriter, 'perform'>): Route[] {
  return [
    checkRoute('/copy', {
      POST: onCheck('checks.edit', async ({ actor, check, signedIn, body }) => {
        const { project } = parseCopy(body);
        const target = project === undefined ? actor : await enterProject(deps, signedIn.actor, project);
        const copy = await checkWriter.perform({ verb: 'copy', actor, id: check.id, target });
        return { status: 201, json: { uuid: copy.check.uuid, name: copy.check.name } };
      }),
    }),
    checkRoute('/move', {
      POST: onCheck('checks.edit', async ({ actor, check, signedIn, body }) => {
        const target = await enterProject(deps, signedIn.actor, parseMove(body).project);
        await checkWriter.perform({ verb: 'move', actor, id: check.id, target });
        return { status: 204 };
      }),
    }),
    checkRoute('/targets', {
      GET: onCheck('checks.edit', async ({ signedIn, actor }) => {
        const { pieces } = await deps.reads.ask({ kind: 'move_targets', person: signedIn.actor, actor });
        return { status: 200, pieces };
      }),
    }),
  ];
}

/** Tells what has to be typed, and why. */
async function askForName(
  deps: AccountDeps,
  { actor, check }: CheckRequest,
  error: AppError,
): Promise<Answer> {
  const found = await findById(deps, actor, check.id);
  const { lastReceivedAt } = found;
  return {
    status: errorReply(error)?.status ?? 500,
    json: {
      ...{ error: error.message, code: error.code, field: error.field },
      name: nameToType(found),
      last_ping: toIsoSeconds(lastReceivedAt),
    },
  };
}
