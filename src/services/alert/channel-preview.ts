import { type Channel, TOLD_EVENTS, type ToldEvent } from '../../domain/alert/channel.ts';
import type { Check } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import type { InstanceOffer, Preview } from '../../integrations/registry.ts';
import type { Instant } from '../../lib/instant.ts';
import { type Actor, ownChannel, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { type ChannelDraft, draftChannel } from './channels.ts';

export interface PreviewSubject {
  readonly project: Project;
  readonly told: ToldEvent;
  /** Null for the invented check of test messages. */
  readonly check: Check | null;
  /** When the check changes, as the message tells it. */
  readonly at: Instant;
}

/** Shows the messages that would be sent through the channel, and sends nothing. */
export type RenderPreview = (channel: Channel, subject: PreviewSubject) => Promise<Preview>;

export interface PreviewRequest {
  readonly event?: ToldEvent | undefined;
  /** The UUID of the check. Absent: an invented one. */
  readonly check?: string | undefined;
}

/** The requests that a message would make, with secrets masked. */
export async function previewChannel(
  deps: Deps,
  actor: Actor,
  uuid: string,
  { event = TOLD_EVENTS[0], check: about }: PreviewRequest,
  render: RenderPreview,
): Promise<Preview> {
  requirePermission(actor, 'channels.test');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  const project = await projectOf(deps, actor);
  const check = about === undefined ? null : ownCheck(actor, await deps.store.checks.byUuid(about));
  return render(channel, { project, told: event, check, at: deps.clock.now() });
}

/** A preview with the check that it is about. */
export interface DraftPreview extends Preview {
  /** Null: an invented one, because the project has none. */
  readonly about: Check | null;
}

/** A preview for settings that are not saved, about a check of the project. If the check is down, with the time of its fall. */
export async function previewChannelDraft(
  deps: Deps,
  actor: Actor,
  { event = TOLD_EVENTS[0], ...draft }: ChannelDraft & Pick<PreviewRequest, 'event'>,
  { offer, render }: { readonly offer: InstanceOffer; readonly render: RenderPreview },
): Promise<DraftPreview> {
  requirePermission(actor, 'channels.test');
  const channel = await draftChannel(deps, actor, draft, offer);
  const project = await projectOf(deps, actor);
  const check = await deps.store.checks.exampleOfProject(project.id);
  const fellAt = check?.status === 'down' && event !== 'up' ? check.lastFlipAt : null;
  const at = fellAt ?? deps.clock.now();
  return { ...(await render(channel, { project, told: event, check, at })), about: check };
}

async function projectOf({ store }: Deps, { projectId }: Actor): Promise<Project> {
  const project = await store.projects.byId(projectId);
  if (project === null) throw new AppError('channel_not_found');
  return project;
}
