import { crontab } from '../../domain/schedule/pasted.ts';
import { slugOf } from '../../domain/slug.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import type { Actor } from '../../services/actor.ts';
import { inWords, slugOwner } from '../../services/check-editor.ts';
import type { JsonObject } from '../../wire/api/body.ts';
import {
  parseCrontab,
  parseDraft,
  parseSlugQuestion,
  parseTrial,
} from '../../wire/dashboard/check-editor-input.ts';
import { foundJson } from '../../wire/dashboard/check-editor-output.ts';
import type { Answer } from '../replies.ts';
import type { MemberRequest, Route } from '../route.ts';
import { checkRoute, forMembers, onCheck, projectRoute } from './dashboard-route.ts';

/** What helps to fill in the form of a check. */
export function checkEditorRoutes(deps: AccountDeps): Route[] {
  const preview = async (actor: Actor, body: JsonObject, checkId: number | null): Promise<Answer> => {
    const draft = { ...parseDraft(body), checkId };
    const { pieces } = await deps.reads.ask({ kind: 'schedule_preview', actor, draft });
    return { status: 200, pieces };
  };
  const slug = async ({ actor, query }: Pick<MemberRequest, 'actor' | 'query'>, id: number | null) => {
    const asked = parseSlugQuestion(query);
    const suggestion = slugOf(asked.name);
    const taken = await slugOwner(deps, actor, asked.slug || suggestion, id);
    return { status: 200, json: { suggestion, taken_by: taken } };
  };
  return [
    projectRoute('/checks/editor', {
      GET: forMembers('checks.edit', async ({ actor }) => {
        const { pieces } = await deps.reads.ask({ kind: 'editor_choices', actor });
        return { status: 200, pieces };
      }),
    }),
    projectRoute('/checks/schedule', {
      POST: forMembers('checks.edit', async ({ actor, body }) => preview(actor, body, null)),
    }),
    checkRoute('/schedule', {
      POST: onCheck('checks.edit', async ({ actor, body, check }) => preview(actor, body, check.id)),
    }),
    projectRoute('/checks/crontab', {
      POST: forMembers('checks.edit', async ({ body }) => ({
        status: 200,
        json: { jobs: crontab(parseCrontab(body).text).map((job) => foundJson(inWords(job))) },
      })),
    }),
    projectRoute('/checks/slug', { GET: forMembers('checks.edit', async (request) => slug(request, null)) }),
    checkRoute('/slug', {
      GET: onCheck('checks.edit', async (request) => slug(request, request.check.id)),
    }),
    checkRoute('/filter-trial', {
      POST: onCheck('checks.edit', async ({ actor, body, check }) => {
        const trial = parseTrial(body);
        const { pieces } = await deps.reads.ask({ kind: 'filter_trial', actor, checkId: check.id, ...trial });
        return { status: 200, pieces };
      }),
    }),
  ];
}
