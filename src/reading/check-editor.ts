import type { LoggedAct } from '../domain/people/audit.ts';
import { listMoveTargets } from '../services/accounts/move-targets.ts';
import { lastEdit } from '../services/audit-log.ts';
import { listChannels } from '../services/channels.ts';
import { listDeleted } from '../services/check-deletion.ts';
import { editorChoices, previewDraft, tryFilter } from '../services/check-editor.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import {
  editorJson,
  type FilterTrialJson,
  previewJson,
  triedPingJson,
} from '../wire/dashboard/check-editor-output.ts';
import { deletedCheckJson, targetJson } from '../wire/dashboard/check-settings-output.ts';
import { shownChannel } from './shown-channels.ts';

type EditorDeps = Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> };

export async function moveTargetsText(
  deps: EditorDeps,
  { person, actor }: QuestionOf<'move_targets'>,
): Promise<string> {
  const targets = await listMoveTargets(deps, person, actor);
  return JSON.stringify({ projects: targets.map(targetJson) });
}

export async function deletedChecksText(
  deps: EditorDeps,
  { actor }: QuestionOf<'deleted_checks'>,
): Promise<string> {
  return JSON.stringify({ checks: (await listDeleted(deps, actor)).map(deletedCheckJson) });
}

export async function lastEditHead(
  deps: EditorDeps,
  { actor, subject }: QuestionOf<'last_edit'>,
): Promise<Pick<LoggedAct, 'actor' | 'createdAt'> | null> {
  const act = await lastEdit(deps, actor, subject);
  return act && { actor: act.actor, createdAt: act.createdAt };
}

export async function schedulePreviewText(
  deps: EditorDeps,
  { actor, draft }: QuestionOf<'schedule_preview'>,
): Promise<string> {
  return JSON.stringify(previewJson(await previewDraft(deps, actor, draft)));
}

export async function editorChoicesText(
  deps: EditorDeps,
  { actor }: QuestionOf<'editor_choices'>,
): Promise<string> {
  const channels = await listChannels(deps, actor);
  return JSON.stringify(editorJson(await editorChoices(deps, actor), channels.map(shownChannel)));
}

export async function filterTrialText(
  deps: EditorDeps,
  { actor, checkId, keywords, text }: QuestionOf<'filter_trial'>,
): Promise<string> {
  const tried = await tryFilter(deps, actor, checkId, keywords, text);
  const trial: FilterTrialJson = { pings: tried.pings.map(triedPingJson), text: tried.text };
  return JSON.stringify(trial);
}
